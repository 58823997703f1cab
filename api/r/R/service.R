# A service over HTTP.

TRIES <- 6
AGAIN <- c(0, 429, 502, 503, 504)
WAIT <- 20

service <- function(url = Sys.getenv("TABLESEAL_URL", "http://localhost:8000"), key = Sys.getenv("TABLESEAL_KEY", "")) {
  force(key)
  # The key is behind a function, so that neither print() nor str() of what holds it shows it.
  structure(list(url = sub("/+$", "", url), authorization = function() {
    if (nzchar(key)) paste("Bearer", key) else NULL
  }), class = c("tableseal_service", "tableseal_via"))
}

format.tableseal_service <- function(x, ...) {
  paste0("tableseal service at ", x$url, if (is.null(x$authorization())) "" else " (with a key)")
}

print.tableseal_service <- function(x, ...) {
  cat(format(x), "\n", sep = "")
  invisible(x)
}

# One request, sent again while the service is away; list(status, headers, content).
asked <- function(via, method, path, query = list(), headers = list(), body = NULL, type = NULL, form = NULL,
                  tries = TRIES) {
  address <- paste0(via$url, path, query_text(query))
  headers$Authorization <- via$authorization()
  if (!is.null(type)) headers$`Content-Type` <- type
  pause <- 0.5
  for (attempt in seq_len(tries)) {
    answer <- fetched(address, method, headers, body, form)
    if (!answer$status %in% AGAIN || attempt == tries) break
    said <- suppressWarnings(as.numeric(answer$headers[["retry-after"]]))
    Sys.sleep(min(if (length(said) && !is.na(said)) said else pause, 30))
    pause <- 2 * pause
  }
  if (answer$status == 0) {
    text <- paste0("The service did not answer ", method, " ", path, " in ", tries, " tries.")
    stop_with(text, "unreachable")
  }
  if (answer$status >= 400) stop_with_problem(parsed(answer$content), answer$status)
  answer
}

fetched <- function(address, method, headers, body, form) {
  handle <- curl::new_handle(customrequest = method, followlocation = FALSE)
  if (!is.null(form)) {
    curl::handle_setform(handle, .list = form)
  } else if (!is.null(body)) {
    curl::handle_setopt(handle, postfieldsize = length(body), postfields = body)
  }
  curl::handle_setheaders(handle, .list = headers)
  tryCatch({
    answer <- curl::curl_fetch_memory(address, handle)
    fields <- curl::parse_headers_list(answer$headers)
    list(status = answer$status_code, headers = fields, content = answer$content)
  }, error = function(e) list(status = 0, headers = list(), content = raw()))
}

query_text <- function(query) {
  if (!length(query)) return("")
  pairs <- unlist(lapply(names(query), function(name) {
    paste0(name, "=", vapply(words(query[[name]]), curl::curl_escape, ""))
  }))
  paste0("?", paste(pairs, collapse = "&"))
}

# What is said of an option: a vector is one entry with commas (names are said as name=value), a list several.
words <- function(value) {
  if (is.list(value)) return(unlist(lapply(seq_along(value), function(at) words(unlist(value[at])))))
  text <- if (is.logical(value)) tolower(as.character(value)) else column_text(value)
  paste(if (is.null(names(value))) text else paste0(names(value), "=", text), collapse = ",")
}

parsed <- function(content) {
  text <- rawToChar(content)
  Encoding(text) <- "UTF-8"
  tryCatch(from_json(text), error = function(e) list())
}

from_json <- function(text) jsonlite::fromJSON(text, simplifyVector = FALSE)

# A new name for a request, so that it is worked on once however often it is sent; no random numbers of R are used up.
request_key <- function() {
  paste(basename(tempfile("r-")), Sys.getpid(), format(Sys.time(), "%Y%m%d%H%M%OS6"), sep = "-")
}

# Ask for work, wait, and give list(result, protected): parsed documents; protected is NULL where there is none.
worked_by_service <- function(via, verb, release, files, options, keep) {
  kind <- c(audit = "audits", suppress = "suppressions", protect = "protections", compare = "comparisons")[[verb]]
  roles <- intersect(c("policy", "decisions", "last_period"), names(options))
  query <- options[setdiff(names(options), roles)]
  headers <- list(`Idempotency-Key` = request_key())
  path <- paste0("/v1/", kind)
  if (length(files) || length(roles) || is.character(release)) {
    main <- if (is.character(release)) release else written(release)
    if (!is.character(release)) on.exit(unlink(dirname(main), recursive = TRUE), add = TRUE)
    form <- c(
      list(release = curl::form_file(main)),
      stats::setNames(lapply(files, curl::form_file), rep("file", length(files))),
      lapply(options[roles], curl::form_file)
    )
    answer <- asked(via, "POST", path, query, headers, form = form)
  } else {
    answer <- asked(via, "POST", path, query, headers, charToRaw(enc2utf8(as_json(release))), "application/json")
  }
  job <- parsed(answer$content)
  place <- paste0("/v1/jobs/", job$id)
  while (job$state %in% c("queued", "running")) {
    job <- parsed(asked(via, "GET", place, headers = list(Prefer = paste0("wait=", WAIT)))$content)
  }
  result <- parsed(asked(via, "GET", paste0(place, "/result"))$content)
  protected <- NULL
  if (keep && identical(result$verdict, "safe")) {
    protected <- parsed(asked(via, "GET", paste0(place, "/protected"))$content)
  }
  list(result = result, protected = protected)
}
