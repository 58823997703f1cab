# What goes wrong, as conditions: tryCatch(audit(...), tableseal_error = function(e) e$place)

# kind: last word of the type of a problem, such as "invalid-release"; place: what is known of file, table, row, line,
# column, cell, pointer, parameter; problem: the whole document, where a service sent one.
stop_with <- function(message, kind, place = list(), problem = NULL) {
  classes <- c(paste0("tableseal_", gsub("-", "_", kind)), "tableseal_error", "error", "condition")
  stop(structure(list(message = message, call = NULL, kind = kind, place = place, problem = problem), class = classes))
}

bad_argument <- function(...) stop_with(paste0(...), "invalid-parameter")

PLACES <- c("source", "table", "row", "line", "column", "cell", "pointer", "parameter")

stop_with_problem <- function(document, status) {
  if (is.null(document$title)) {
    stop_with(paste("The service answered with the status", status), "unknown", list(), document)
  }
  kind <- sub("^.*:", "", document$type)
  if (is.null(document$detail)) document$detail <- ""
  message <- sub(": $", "", paste0(document$title, ": ", document$detail))
  stop_with(message, kind, document[intersect(PLACES, names(document))], document)
}
