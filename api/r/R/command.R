# The program on this machine.

command <- function(program = Sys.getenv("TABLESEAL_COMMAND", "tableseal")) {
  structure(list(program = program), class = c("tableseal_command", "tableseal_via"))
}

# Exit codes with a result: safe, unsafe, undecided.
WITH_RESULT <- c(0, 1, 3)

# Run a verb: its exit code and what it said. Options are words: c("--threshold", "5").
run <- function(via, arguments) {
  said <- tempfile("said-")
  on.exit(unlink(said))
  program <- strsplit(via$program, " ", fixed = TRUE)[[1]]
  line <- c(program[-1], vapply(arguments, shQuote, "", USE.NAMES = FALSE))
  code <- suppressWarnings(system2(program[1], line, stdout = FALSE, stderr = said))
  text <- if (file.exists(said)) readLines(said, warn = FALSE, encoding = "UTF-8") else character()
  if (code == 127) {
    text <- paste0("There is no program ", via$program, " on this machine: pip install tableseal, or via = service(...).")
    stop_with(text, "unreachable")
  }
  list(code = code, said = text)
}

stop_with_said <- function(ran) {
  text <- paste(ran$said, collapse = "\n")
  kind <- if (startsWith(text, "Limit reached: ")) "limit" else "invalid-release"
  stop_with(sub("^(Error|Limit reached): ", "", text), kind)
}

# As worked_by_service().
worked_by_command <- function(via, verb, release, files, options, keep) {
  folder <- tempfile("tableseal-")
  dir.create(folder, mode = "0700")
  on.exit(unlink(folder, recursive = TRUE))
  main <- if (is.character(release)) release else written(release, folder)
  json <- file.path(folder, "result.json")
  out <- file.path(folder, "protected.json")
  output <- if (keep) c("--output", out) else character()
  ran <- run(via, c(verb, main, flags(options), "--json", json, output))
  if (!ran$code %in% WITH_RESULT || !file.exists(json)) stop_with_said(ran)
  protected <- if (keep && file.exists(out)) read_json(out)
  list(result = read_json(json), protected = protected)
}

flags <- function(options) {
  unlist(lapply(names(options), function(name) {
    flag <- paste0("--", gsub("_", "-", name))
    value <- options[[name]]
    if (isTRUE(value)) return(flag)
    if (identical(value, FALSE)) return(sub("^--", "--no-", flag))
    as.vector(rbind(flag, words(value)))
  }))
}

read_json <- function(path) from_json(paste(readLines(path, warn = FALSE, encoding = "UTF-8"), collapse = "\n"))
