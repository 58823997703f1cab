# By the program on this machine (TABLESEAL_COMMAND).
library(tableseal)

table <- data.frame(
  district = rep(c("North", "South", "Total"), each = 3),
  sex = rep(c("F", "M", "Total"), 3),
  patients = c(NA, 17, 19, 14, 21, 35, 16, 38, 54)
)
true <- table
true$patients[1] <- 2

# What can be worked out, cell by cell.
found <- audit(table)
stopifnot(found$verdict == "unsafe")
cells <- as.data.frame(found)
stopifnot(
  nrow(cells) == 1, cells$district == "North", cells$sex == "F", cells$lower == 2, cells$upper == 2,
  cells$verdict == "exposed", cells$arithmetic == "North / F = Total / F - South / F = 16 - 14 = 2",
  attr(cells, "verdict") == "unsafe"
)
stopifnot(any(grepl("unsafe", capture.output(print(found)))))

# What to withhold besides: the rows that came in.
safe <- suppress(true, threshold = 5)
stopifnot(safe$verdict == "safe", safe$result$cost == 52)
out <- as.data.frame(safe)
stopifnot(identical(names(out), names(true)), identical(which(is.na(out$patients)), c(1L, 2L, 4L, 5L)))
stopifnot(identical(out$district, true$district), all(out$patients == true$patients, na.rm = TRUE))
stopifnot(audit(out)$verdict == "safe")

# Rows in any order.
mixed <- true[c(9, 1, 4, 2, 8, 3, 7, 6, 5), ]
stopifnot(identical(is.na(as.data.frame(suppress(mixed, threshold = 5))$patients),
  mixed$district %in% c("North", "South") & mixed$sex %in% c("F", "M")))

# Values that change, methods side by side, other formats.
rounded <- as.data.frame(protect(true, method = "controlled-rounding", base = 10, threshold = 3))
stopifnot(all(rounded$patients %% 10 == 0), rounded$patients[3] == rounded$patients[1] + rounded$patients[2])
methods <- as.data.frame(compare(true, methods = c("optimal", "heuristic"), threshold = 5))
stopifnot(nrow(methods) == 2, setequal(methods$method, c("optimal", "heuristic")))
px <- tempfile(fileext = ".px")
losses <- convert(table, px)
stopifnot(is.data.frame(losses), file.exists(px), audit(px)$verdict == "unsafe")

# Magnitudes with decimals, nested codes, words of status.
firms <- data.frame(
  nace = c("T", "A", "A1", "A2", "B"),
  turnover = c(100.5, 60.25, 50, 10.25, 40.25),
  status = c("", "", "primary", "secondary", "")
)
dimension <- data.frame(levels = c("@", "@@", "@@@", "@@@", "@@"), codes = c("T", "A", "A1", "A2", "B"))
nested <- audit(firms, total = "T", hierarchies = list(nace = dimension), status = "status", variables = "nace")
cells <- as.data.frame(nested)
stopifnot(nested$result$summary$cells == 5, identical(cells$nace, c("A1", "A2")), all(cells$upper == 60.25))
document <- release_document(firms, variables = "nace", total = "T", status = "status",
  hierarchies = list(nace = data.frame(code = c("A", "A1", "A2", "B"), parent = c("T", "A", "A", "T"))))
stopifnot(document$unit == "0.01", document$kind == "magnitude", identical(audit(document)$result, nested$result) ||
  audit(document)$verdict == nested$verdict)

# What goes wrong is a condition that says where; nothing else is said.
refused <- function(expression, class) {
  error <- tryCatch({ expression; NULL }, tableseal_error = function(error) error)
  stopifnot(inherits(error, class))
  invisible(error)
}
wrong <- true
wrong$patients[9] <- 55
error <- refused(audit(wrong), "tableseal_invalid_release")
stopifnot(grepl("do not add up", conditionMessage(error)), grepl("district=Total", conditionMessage(error)))
marked <- true
marked$patients <- as.character(marked$patients)
marked$patients[1] <- "*"
error <- refused(audit(marked, value = "patients", variables = c("district", "sex")), "tableseal_invalid_release")
stopifnot(error$place$row == 1, error$place$column == "patients")
stopifnot(audit(marked, value = "patients", variables = c("district", "sex"),
  marks = list("*" = "withheld"))$verdict == "unsafe")
refused(audit(true, total = "All"), "tableseal_invalid_parameter")
refused(audit(true, nonsense = 3), "tableseal_invalid_release")
refused(audit("no-such-file.yaml"), "tableseal_invalid_release")
refused(audit(true, via = command("no-such-program")), "tableseal_unreachable")
refused(as.data.frame(protect(true, method = "random-rounding", base = 3, threshold = 3)), "tableseal_no_result")
