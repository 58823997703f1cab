# What came of it, as data frames.

print.tableseal_result <- function(x, ...) {
  cat(x$verb, ": ", if (is.null(x$called)) x$verdict else x$called, "\n", sep = "")
  summary <- x$result$summary
  counts <- summary[intersect(c("cells", "withheld", "exposed", "underprotected", "undecided"), names(summary))]
  if (length(counts)) cat(paste(names(counts), unlist(counts), sep = " ", collapse = ", "), "\n", sep = "")
  invisible(x)
}

# Of an audit the cells, of a comparison the methods; of a suppression and a protection the rows that came in with what
# goes out. The verdict is an attribute of all of them.
as.data.frame.tableseal_result <- function(x, ...) {
  found <- switch(x$verb,
    audit = cells_frame(x$result),
    compare = rows_frame(x$result$methods),
    released_frame(x)
  )
  attr(found, "verdict") <- x$verdict
  found
}

CELL_COLUMNS <- c("status", "truth", "lower", "upper", "exact", "entropy_bits", "risk", "required", "verdict", "rule",
  "reason")

cells_frame <- function(report) {
  cells <- report$cells
  variables <- unique(unlist(lapply(cells, function(cell) names(cell$cell))))
  codes <- lapply(variables, function(name) vapply(cells, function(cell) text_or_na(cell$cell[[name]]), ""))
  names(codes) <- variables
  figures <- lapply(CELL_COLUMNS, function(name) simplified(lapply(cells, function(cell) plain(cell[[name]]))))
  names(figures) <- CELL_COLUMNS
  figures$arithmetic <- vapply(cells, function(cell) text_or_na(cell$reveals$text), "")
  tables <- list(table = vapply(cells, function(cell) text_or_na(cell$table), ""))
  as_frame(c(tables, codes, figures), length(cells))
}

rows_frame <- function(rows) {
  columns <- unique(unlist(lapply(rows, names)))
  flat <- Filter(function(name) all(vapply(rows, function(row) length(row[[name]]) <= 1, NA)), columns)
  found <- lapply(flat, function(name) simplified(lapply(rows, function(row) plain(row[[name]]))))
  as_frame(stats::setNames(found, flat), length(rows))
}

# The rows that came in; values as they go out, NA where they are withheld.
released_frame <- function(x) {
  if (is.null(x$protected)) {
    stop_with(paste0("Nothing goes out: the audit of what ", x$verb, "() found says ", x$verdict, "."), "no-result")
  }
  table <- x$protected$tables[[1]]
  released <- lapply(table$cells, function(column) simplified(lapply(column, plain)))
  names(released)[names(released) == table$value] <- "\001value"
  variables <- intersect(names(x$protected$variables), names(released))
  if (is.null(x$data)) {
    found <- as_frame(released, length(released[[1]]))
    names(found)[names(found) == "\001value"] <- table$value
    return(found)
  }
  key <- function(columns) do.call(paste, c(lapply(columns, as.character), sep = "\001"))
  at <- match(key(x$data[variables]), key(released[variables]))
  out <- x$data
  out[[x$value]] <- as.numeric(released[["\001value"]][at])
  out
}

as_frame <- function(columns, rows) {
  structure(columns, class = "data.frame", row.names = seq_len(rows))
}

# One value: a scalar, or NA; ranges and other lists as text.
plain <- function(value) {
  if (is.null(value) || !length(value)) return(NA)
  if (is.list(value)) return(as.character(jsonlite::toJSON(value, auto_unbox = TRUE, null = "null", digits = NA)))
  value
}

text_or_na <- function(value) if (is.null(value)) NA_character_ else as.character(value)

simplified <- function(values) {
  found <- unlist(values)
  if (length(found) == length(values)) found else vapply(values, text_or_na, "")
}
