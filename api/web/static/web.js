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

  // Progress: events as they come; where they do not, ask again and again.
  const job = document.querySelector("[data-job]");
  if (!job) return;
  const bar = job.querySelector("[data-progress]");
  const stage = job.querySelector("[data-stage]");
  const figures = job.querySelector("[data-figures]");
  const group = (number) => number.toLocaleString("en").replaceAll(",", "\u202f");
  const show = ({ stage: name, done, total }) => {
    if (stage.textContent !== name) stage.textContent = name;
    if (total) { bar.max = total; bar.value = done; } else bar.removeAttribute("value");
    figures.textContent = total ? `${group(done)} of ${group(total)}` : "";
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
    else if (state === "running") stage.textContent = "At work";
  });
  let failures = 0;
  events.addEventListener("error", () => {
    failures += 1;
    if (failures === 3) { events.close(); poll(); }
  });
})();
