# Data frames as release documents, which the program and the service read.

release_document <- function(data, value = NULL, total = "Total", variables = NULL, hierarchies = list(), status = NULL,
                             kind = NULL, unit = NULL, truth = NULL, frequency = NULL, contributors = NULL,
                             costs = NULL, marks = list(), title = "") {
  if (!is.data.frame(data)) bad_argument("data: found ", class(data)[1], ", expected a data frame, or the name of a file.")
  if (!nrow(data)) bad_argument("data: has no rows.")
  value <- value_column(data, value, c(truth, frequency, contributors, costs))
  for (name in c(value, status, truth, frequency, contributors, costs, variables)) known_column(data, name)
  figures <- c(value, status, truth, frequency, contributors, costs)
  if (is.null(variables)) variables <- setdiff(names(data)[!vapply(data, is.numeric, NA)], figures)
  if (!length(variables)) bad_argument("No column holds codes (text); name them: variables = c(\"region\", \"sex\").")
  numbers <- unlist(lapply(c(value, truth, contributors), function(name) numbers_of(data, name, marks)))
  if (is.null(kind)) kind <- if (length(contributors) || any(numbers != round(numbers))) "magnitude" else "count"
  document <- list(tableseal = 1, title = title, kind = kind)
  if (kind == "magnitude") document$unit <- if (is.null(unit)) finest(numbers) else number_text(unit)
  document$variables <- stats::setNames(lapply(variables, function(name) {
    classification(data, name, total_of(data, name, total), hierarchies[[name]])
  }), variables)
  entry <- list(name = value, value = value)
  if (is.null(status)) entry$status <- "none" else entry$status <- status
  for (role in c("truth", "frequency")) if (!is.null(get(role))) entry[[role]] <- get(role)
  if (!is.null(costs)) entry$cost <- costs
  if (length(contributors)) entry$contributors <- as.list(contributors)
  if (length(marks)) entry$marks <- marks
  columns <- c(variables, figures)
  entry$cells <- stats::setNames(lapply(columns, function(name) column_text(data[[name]])), columns)
  document$tables <- list(entry)
  document
}

value_column <- function(data, value, others) {
  if (!is.null(value)) return(value)
  found <- setdiff(names(data)[vapply(data, is.numeric, NA)], others)
  if (length(found) == 1) return(found)
  bad_argument("Several columns, or none, may hold the values (", paste(found, collapse = ", "),
    "); say which: value = \"turnover\".")
}

known_column <- function(data, name) {
  if (!name %in% names(data)) {
    bad_argument("There is no column \"", name, "\"; columns are ", paste(names(data), collapse = ", "), ".")
  }
}

numbers_of <- function(data, name, marks) {
  column <- data[[name]]
  if (is.factor(column)) column <- as.character(column)
  if (is.character(column)) column[column %in% c(names(marks), "")] <- NA
  found <- suppressWarnings(as.numeric(column))
  lost <- which(is.na(found) & !is.na(column))
  if (length(lost)) {
    stop_with(paste0("Column \"", name, "\", row ", lost[1], ": found text that is no number; say what it means: ",
      "marks = list(\"*\" = \"withheld\")."), "invalid-release", list(column = name, row = lost[1]))
  }
  found[!is.na(found)]
}

# The smallest power of ten, down to 1e-9, of which all numbers are multiples.
finest <- function(numbers) {
  for (digits in 0:9) if (all(abs(numbers - round(numbers, digits)) < 1e-12 * pmax(1, abs(numbers)))) break
  number_text(10^-digits)
}

total_of <- function(data, name, total) {
  if (is.list(total)) total <- unlist(total)
  if (!is.null(names(total))) {
    if (!name %in% names(total)) total <- "Total" else total <- total[[name]]
  }
  if (is.na(total)) return(NULL)
  if (!total %in% as.character(data[[name]])) {
    bad_argument("Column \"", name, "\" has no code \"", total, "\"; say what its total is called, or NA if it has none: ",
      "total = c(", name, " = \"T\").")
  }
  as.character(total)
}

# hierarchy: nested lists, a data frame of code and parent, or a dimension list (levels "@", "@@" and codes).
classification <- function(data, name, total, hierarchy) {
  codes <- setdiff(unique(as.character(data[[name]])), c(total, NA))
  found <- list()
  if (!is.null(total)) found$total <- total
  if (is.null(hierarchy)) {
    found$codes <- as.list(codes)
  } else {
    found$tree <- if (is.data.frame(hierarchy)) tree_of(hierarchy, name, total) else hierarchy
  }
  found
}

tree_of <- function(hierarchy, name, total) {
  sign <- intersect(c("levels", "level"), names(hierarchy))
  code <- intersect(c("codes", "code", "name"), names(hierarchy))
  if (!length(code)) bad_argument("hierarchies$", name, ": expected columns code and parent, or levels and codes.")
  codes <- as.character(hierarchy[[code[1]]])
  if (length(sign)) {
    depth <- nchar(as.character(hierarchy[[sign[1]]]))
    parent <- vapply(seq_along(depth), function(at) {
      above <- which(depth[seq_len(at - 1)] < depth[at])
      if (length(above)) codes[max(above)] else NA_character_
    }, "")
  } else if ("parent" %in% names(hierarchy)) {
    parent <- as.character(hierarchy$parent)
  } else {
    bad_argument("hierarchies$", name, ": expected columns code and parent, or levels and codes.")
  }
  below <- function(of, above) {
    if (of %in% above) bad_argument("hierarchies$", name, ": \"", of, "\" lies below itself.")
    children <- codes[!is.na(parent) & parent == of]
    stats::setNames(lapply(children, below, c(above, of)), children)
  }
  tops <- codes[is.na(parent) | parent %in% total | !parent %in% codes]
  tops <- unique(setdiff(tops, total))
  stats::setNames(lapply(tops, below, character()), tops)
}

column_text <- function(column) {
  if (is.numeric(column)) return(number_text(column))
  as.character(column)
}

# Numbers as exact text with at most 15 digits, never in powers of ten.
number_text <- function(numbers) {
  text <- vapply(numbers, function(number) {
    if (is.na(number)) NA_character_ else format(number, digits = 15, scientific = FALSE, trim = TRUE)
  }, "")
  unname(text)
}

as_json <- function(release) {
  jsonlite::toJSON(release, auto_unbox = TRUE, na = "null", null = "null", digits = NA)
}

# The document in a file of a folder of its own.
written <- function(release, folder = tempfile("tableseal-")) {
  if (!dir.exists(folder)) dir.create(folder, mode = "0700")
  path <- file.path(folder, "release.json")
  writeLines(enc2utf8(as_json(release)), path, useBytes = TRUE)
  path
}
