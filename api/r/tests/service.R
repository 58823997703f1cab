# By a service (TABLESEAL_URL, and TABLESEAL_KEY where it wants one); without one there is nothing to test.
library(tableseal)

if (nzchar(Sys.getenv("TABLESEAL_URL"))) {
  here <- service()
  table <- data.frame(
    district = rep(c("North", "South", "Total"), each = 3),
    sex = rep(c("F", "M", "Total"), 3),
    patients = c(NA, 17, 19, 14, 21, 35, 16, 38, 54)
  )
  true <- table
  true$patients[1] <- 2

  # The same as by the program.
  found <- audit(table, via = here)
  stopifnot(identical(as.data.frame(found), as.data.frame(audit(table, via = command()))))
  safe <- suppress(true, threshold = 5, via = here)
  stopifnot(identical(as.data.frame(safe), as.data.frame(suppress(true, threshold = 5, via = command()))))
  rounded <- protect(true, method = "controlled-rounding", base = 10, threshold = 3, via = here)
  stopifnot(all(as.data.frame(rounded)$patients %% 10 == 0))
  methods <- as.data.frame(compare(true, methods = c("optimal", "heuristic"), threshold = 5, via = here))
  stopifnot(nrow(methods) == 2)

  # Files, and those that they name.
  folder <- tempfile()
  dir.create(folder)
  write.csv(table, file.path(folder, "t.csv"), row.names = FALSE, na = "")
  release <- file.path(folder, "release.yaml")
  writeLines(c(
    "tableseal: 1", "kind: count",
    "variables: {district: {total: Total, codes: [North, South]}, sex: {total: Total, codes: [F, M]}}",
    "tables: [{name: t, file: t.csv, value: patients}]"
  ), release)
  stopifnot(audit(release, files = file.path(folder, "t.csv"), via = here)$verdict == "unsafe")

  # Problems are conditions with their place.
  refused <- function(expression, class) {
    error <- tryCatch({ expression; NULL }, tableseal_error = function(error) error)
    stopifnot(inherits(error, class))
    invisible(error)
  }
  wrong <- true
  wrong$patients[9] <- 55
  error <- refused(audit(wrong, via = here), "tableseal_not_additive")
  stopifnot(error$place$table == "patients", error$problem$status == 422, grepl("add up", conditionMessage(error)))
  error <- refused(audit(true, nonsense = 3, via = here), "tableseal_invalid_parameter")
  stopifnot(error$place$parameter == "nonsense")
  refused(convert(true, tempfile(), via = here), "tableseal_invalid_parameter")

  # A key is not shown.
  secret <- service(key = "ts_very_secret")
  shown <- c(capture.output(print(secret)), capture.output(str(secret)), capture.output(print(unclass(secret))),
    capture.output(dput(unclass(secret)$url)), format(secret))
  stopifnot(!any(grepl("very_secret", shown)))
  gone <- service("http://127.0.0.1:9", key = "ts_very_secret")
  error <- tryCatch(tableseal:::asked(gone, "GET", "/v1/jobs", tries = 1), tableseal_error = function(error) error)
  stopifnot(inherits(error, "tableseal_unreachable"))
  stopifnot(!grepl("very_secret", paste(c(conditionMessage(error), capture.output(str(error))), collapse = " ")))
}
