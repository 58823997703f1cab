"use strict";
(() => {
  // Files: say which were chosen or dropped.
  document.querySelectorAll("[data-drop]").forEach((zone) => {
    const input = zone.querySelector("input[type=file]");
    const chosen = zone.querySelector("[data-chosen]");
    const tell = () => {
      const names = Array.from(input.files, (file) => file.name);
      chosen.textContent = names.length > 1 ? `${names.length} files: ${names.join(", ")}` : "";
    };
    input.addEventListener("change", tell);
    const mark = (event) => { event.preventDefault(); zone.classList.toggle("over", event.type === "dragover"); };
    ["dragover", "dragleave", "drop"].forEach((name) => zone.addEventListener(name, mark));
    zone.addEventListener("drop", (event) => {
      if (event.dataTransfer.files.length) { input.files = event.dataTransfer.files; tell(); }
    });
  });

  // Columns: only classifications have a code of the total.
  document.querySelectorAll("[data-columns] tr").forEach((row) => {
    const role = row.querySelector("[data-role]");
    const total = row.querySelector("[data-total]");
    if (!role || !total) return;
    const fit = () => { total.hidden = role.value !== "classification"; };
    role.addEventListener("change", fit);
    fit();
  });

  // A report by parts: only the part that changes is replaced, and the focus stays; without scripts the page is loaded.
  const busy = new Map();
  const turn = async (part, address) => {
    const mine = Symbol("turn");
    busy.set(part.id, mine);
    part.setAttribute("aria-busy", "true");
    try {
      const answer = await fetch(address, { headers: { Accept: "text/html" } });
      const found = new DOMParser().parseFromString(await answer.text(), "text/html");
      const fresh = found.getElementById(part.id);
      if (busy.get(part.id) !== mine) return;
      if (!answer.ok || !fresh) { location.assign(address); return; }
      // The other part goes on from where it is: its links and fields are made of the address, too.
      document.querySelectorAll("[data-part]").forEach((old) => {
        const other = found.getElementById(old.id);
        if (!other) return;
        const focus = old.contains(document.activeElement) ? document.activeElement.id : "";
        old.replaceWith(other);
        if (focus) (document.getElementById(focus) ?? other).focus({ preventScroll: true });
      });
      history.replaceState(null, "", address);
    } catch { location.assign(address); }
  };
  const ask = async (address) => {
    const answer = await fetch(address, { headers: { Accept: "text/html" } });
    const found = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("cell");
    if (!answer.ok || !found) { location.assign(address); return; }
    const dialog = document.createElement("dialog");
    dialog.className = "cell";
    dialog.setAttribute("aria-labelledby", "cell-h");
    const title = document.createElement("h2");
    title.id = "cell-h";
    title.textContent = found.querySelector("h1").textContent;
    found.querySelector("h1").replaceWith(title);
    const buttons = document.createElement("form");
    buttons.method = "dialog";
    buttons.className = "buttons";
    const close = document.createElement("button");
    close.textContent = "Close";
    const own = document.createElement("a");
    own.href = address;
    own.textContent = "Its own page";
    buttons.append(close, own);
    dialog.append(...found.childNodes, buttons);
    dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
    dialog.addEventListener("close", () => dialog.remove());
    document.body.append(dialog);
    dialog.showModal();
  };
  document.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || !(event.target instanceof Element)) return;
    const link = event.target.closest("[data-part] a[data-turn], [data-part] .heat a, [data-part] a[data-cell]");
    if (!link) return;
    event.preventDefault();
    if ("turn" in link.dataset) turn(link.closest("[data-part]"), link.href);
    else ask(link.href).catch(() => location.assign(link.href));
  });
  const submitted = (form) => {
    const said = new URLSearchParams([...new FormData(form)].filter(([, value]) => value));
    turn(form.closest("[data-part]"), `${location.pathname}?${said}${form.getAttribute("action")}`);
  };
  document.addEventListener("submit", (event) => {
    if (!event.target.matches("form[data-turn]")) return;
    event.preventDefault();
    submitted(event.target);
  });
  document.addEventListener("change", (event) => {
    const form = event.target.closest("form[data-turn]");
    if (form) submitted(form);
  });
  // What to expect of a table is told while it is chosen.
  document.addEventListener("change", (event) => {
    const form = event.target.closest("form[data-preview]");
    if (!form) return;
    const said = new URLSearchParams([...new FormData(form)].filter(([, value]) => value.trim()));
    turn(document.getElementById(form.dataset.preview), `${location.pathname}?${said}`);
  });
  // Code is copied by a button.
  document.querySelectorAll("button[data-copy]").forEach((button) => {
    if (!navigator.clipboard) return;
    button.hidden = false;
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent);
      button.textContent = "Copied";
    });
  });
  // Arrow keys go through the cells of a map.
  document.addEventListener("keydown", (event) => {
    const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
    const cell = step && event.target.matches(".heat a") ? event.target.closest("td") : null;
    const next = cell?.closest("tbody").rows[cell.parentElement.sectionRowIndex + step[0]]?.cells[cell.cellIndex + step[1]];
    const link = next?.querySelector("a");
    if (!link) return;
    event.preventDefault();
    link.focus();
  });

  // Progress: events as they come; where they do not, ask again and again.
  const job = document.querySelector("[data-job]");
  if (!job) return;
  const bar = job.querySelector("[data-progress]");
  const stage = job.querySelector("[data-stage]");
  const figures = job.querySelector("[data-figures]");
  const group = (number) => number.toLocaleString("en").replaceAll(",", "\u202f");
  const named = JSON.parse(job.dataset.stages);
  // What is left of a step is told once enough of it is done to know; of a step in one piece nothing is known.
  let step = { name: "", at: 0, done: 0 };
  const left = (name, done, total) => {
    if (step.name !== name || done < step.done) step = { name, at: Date.now(), done };
    const seconds = (Date.now() - step.at) / 1000;
    const share = (done - step.done) / (total - step.done);
    if (seconds < 5 || share < 0.05 || done >= total) return "";
    const more = seconds * (1 / share - 1);
    return more < 90 ? `; about ${Math.ceil(more / 10) * 10} s of this step are left` : `; about ${Math.ceil(more / 60)} min of this step are left`;
  };
  // Phases are listed with what each took; the last one goes on.
  const list = job.querySelector("[data-phases]");
  const worked = job.querySelector("[data-worked]");
  const told = (seconds) => (seconds < 60 ? `${seconds.toFixed(1)} s` : `${Math.floor(seconds / 60)} min ${Math.floor(seconds % 60)} s`);
  const elapse = () => {
    const now = Date.now() / 1000;
    Array.from(list.children).forEach((phase, at, all) => {
      const end = all[at + 1] ? Number(all[at + 1].dataset.began) : now;
      phase.lastElementChild.textContent = told(Math.max(0, end - Number(phase.dataset.began)));
    });
    if ("began" in job.dataset) worked.textContent = told(Math.max(0, now - Number(job.dataset.began)));
  };
  setInterval(elapse, 1000);
  const begin = (name) => {
    if (list.lastElementChild?.firstElementChild.textContent === name) return;
    const phase = document.createElement("li");
    phase.dataset.began = Date.now() / 1000;
    const [label, time] = [document.createElement("span"), document.createElement("span")];
    label.textContent = name;
    time.className = "soft";
    phase.append(label, " ", time);
    list.append(phase);
    list.previousElementSibling.hidden = false;
  };
  // A search tells what is proved and what it has found: that says nothing of the time it takes.
  const above = (proved, found) => (found > proved ? `at most ${Math.ceil((100 * (found - proved)) / found)}% cheaper is possible` : "");
  // Clusters of a plan are done in its order; what comes behind them is about all of them.
  const clusters = job.querySelectorAll("[data-clusters] span");
  const show = ({ stage: told, done, total }) => {
    const name = named[told] ?? told;
    const ready = told === "clusters" ? done : clusters.length;
    clusters.forEach((cluster, at) => { cluster.textContent = at < ready ? "is done" : at === ready ? "is under way" : "waits"; });
    if (stage.textContent !== name) stage.textContent = name;
    begin(name);
    elapse();
    const known = told !== "search" && total > 1 && done < total;
    if (known) { bar.max = total; bar.value = done; } else bar.removeAttribute("value");
    if (known) figures.textContent = `${group(done)} of ${group(total)}${left(name, done, total)}`;
    else if (told === "search") figures.textContent = above(done, total);
    else figures.textContent = !total && done ? `${group(done)} so far` : "";
  };
  const ended = (state) => ["succeeded", "failed", "cancelled"].includes(state);
  const poll = async () => {
    try {
      const found = await (await fetch(job.dataset.job)).json();
      if (ended(found.state)) { location.reload(); return; }
      if (found.progress) show(found.progress);
    } catch { /* the service is not there at the moment */ }
    setTimeout(poll, 1000);
  };
  // The place in the queue is no event of the job: it moves when others begin.
  let queued = "queued" in job.dataset;
  const look = async () => {
    try {
      const { place } = queued ? await (await fetch(job.dataset.job)).json() : {};
      if (queued && place) stage.textContent = `Waiting for a worker: place ${group(place)} in the queue`;
    } catch { /* the service is not there at the moment */ }
    setTimeout(look, 3000);
  };
  setTimeout(look, 3000);
  const events = new EventSource(job.dataset.events);
  events.addEventListener("progress", (event) => show(JSON.parse(event.data)));
  events.addEventListener("state", (event) => {
    const { state } = JSON.parse(event.data);
    queued = state === "queued";
    if (ended(state)) { events.close(); location.reload(); }
    else if (state === "running") {
      stage.textContent = "At work";
      job.dataset.began ??= Date.now() / 1000;
      worked.parentElement.hidden = false;
    }
  });
  let failures = 0;
  events.addEventListener("error", () => {
    failures += 1;
    if (failures === 3) { events.close(); poll(); }
  });
})();
