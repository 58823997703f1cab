# The verbs. data: a data frame, a release document (release_document()), or the name of a file.

COLUMNS <- setdiff(names(formals(release_document)), "data")

audit <- function(data, ..., files = character(), via = getOption("tableseal.via", command())) {
  asked_for("audit", data, list(...), files, via, keep = FALSE)
}

suppress <- function(data, ..., files = character(), via = getOption("tableseal.via", command())) {
  asked_for("suppress", data, list(...), files, via, keep = TRUE)
}

protect <- function(data, ..., files = character(), via = getOption("tableseal.via", command())) {
  asked_for("protect", data, list(...), files, via, keep = TRUE)
}

compare <- function(data, ..., files = character(), via = getOption("tableseal.via", command())) {
  asked_for("compare", data, list(...), files, via, keep = FALSE)
}

convert <- function(data, out, ..., via = getOption("tableseal.via", command())) {
  if (!inherits(via, "tableseal_command")) bad_argument("convert() writes a file of this machine: via = command().")
  said <- parts(data, list(...))
  folder <- tempfile("tableseal-")
  dir.create(folder, mode = "0700")
  on.exit(unlink(folder, recursive = TRUE))
  main <- if (is.character(said$release)) said$release else written(said$release, folder)
  json <- file.path(folder, "losses.json")
  ran <- run(via, c("convert", main, out, flags(said$options), "--json", json))
  if (ran$code != 0 || !file.exists(json)) stop_with_said(ran)
  losses <- read_json(json)$losses
  columns <- unique(unlist(lapply(losses, names)))
  found <- lapply(columns, function(name) unlist(lapply(losses, function(loss) plain(loss[[name]]))))
  as.data.frame(stats::setNames(found, columns), stringsAsFactors = FALSE)
}

asked_for <- function(verb, data, said, files, via, keep) {
  found <- parts(data, said)
  work <- if (inherits(via, "tableseal_service")) worked_by_service else worked_by_command
  if (!inherits(via, "tableseal_via")) bad_argument("via: expected command() or service(...).")
  done <- work(via, verb, found$release, files, found$options, keep)
  structure(
    list(
      verb = verb, verdict = done$result$verdict, called = done$result$called, result = done$result,
      protected = done$protected, data = if (is.data.frame(data)) data, value = found$value
    ),
    class = c(paste0("tableseal_", verb), "tableseal_result")
  )
}

# What is said of columns, and options of the verb.
parts <- function(data, said) {
  if (length(said) && (is.null(names(said)) || !all(nzchar(names(said))))) bad_argument("Options are given by name.")
  if (is.character(data) && length(data) == 1) return(list(release = data, options = said, value = NULL))
  if (is.list(data) && !is.data.frame(data)) return(list(release = data, options = said, value = NULL))
  of_columns <- said[intersect(names(said), COLUMNS)]
  release <- do.call(release_document, c(list(data), of_columns))
  list(release = release, options = said[setdiff(names(said), COLUMNS)], value = release$tables[[1]]$value)
}
