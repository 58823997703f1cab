"use strict";
(() => {
  const table = document.getElementById("list-table");
  const addOpeners = () => addEventListener("beforeprint", () =>
    document.querySelectorAll("details").forEach((fold) => { fold.open = true; }));
  addOpeners();
  if (!table) return;

  // A click on a cell of a heat map shows all that is known of it; without scripts the link leads to its line.
  const dialog = document.createElement("dialog");
  dialog.className = "cell";
  dialog.setAttribute("aria-labelledby", "cell-h");
  const make = (name, text, className) => {
    const element = document.createElement(name);
    element.textContent = text;
    if (className) element.className = className;
    return element;
  };
  const heads = Array.from(table.tHead.rows[0].cells, (head) => head.textContent);
  const show = (hash) => {
    const row = document.getElementById(hash.slice(1));
    const title = make("h2", row.querySelector(".name").textContent);
    title.id = "cell-h";
    const facts = make("dl", "", "facts");
    heads.forEach((head, column) => {
      const text = Array.from(row.cells[column].childNodes, (node) => node.textContent.trim()).filter(Boolean).join("; ");
      if (head !== "Cell" && text) facts.append(make("dt", head), make("dd", text));
    });
    dialog.replaceChildren(title, facts);
    document.querySelectorAll(".sums a").forEach((link) => {
      if (link.hash !== hash) return;
      dialog.append(make("h3", link.closest("section").getAttribute("aria-label")));
      dialog.append(link.parentElement.querySelector(".how").cloneNode(true));
    });
    const form = make("form", "", "buttons");
    form.method = "dialog";
    const list = make("a", "Show in the list");
    list.href = hash;
    list.addEventListener("click", () => dialog.close());
    form.append(make("button", "Close"), list);
    dialog.append(form);
    document.querySelector("main").append(dialog);
    dialog.showModal();
  };
  document.addEventListener("click", (event) => {
    const link = event.target.closest(".heat a");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    show(link.hash);
  });
  dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });

  const body = table.tBodies[0];
  const rows = Array.from(body.rows);
  const search = document.getElementById("search");
  const shown = document.getElementById("shown");
  document.getElementById("tools").hidden = false;

  const filter = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    for (const row of rows) {
      const text = row.textContent.toLowerCase();
      row.hidden = !words.every((word) => text.includes(word));
      if (!row.hidden) count += 1;
    }
    shown.textContent = `${count} of ${rows.length} shown`;
  };
  search.addEventListener("input", filter);
  filter();

  const key = (row, column) => {
    const cell = row.cells[column];
    return "k" in cell.dataset ? Number(cell.dataset.k) : cell.textContent;
  };
  const compare = (a, b) => typeof a === "number" ? a - b : a.localeCompare(b, "en", { numeric: true });
  Array.from(table.tHead.rows[0].cells).forEach((head, column) => {
    const label = head.textContent;
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = label;
    head.replaceChildren(button);
    button.addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") === "ascending";
      table.querySelectorAll("th[aria-sort]").forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      rows.sort((a, b) => (down ? -1 : 1) * compare(key(a, column), key(b, column)));
      body.append(...rows);
    });
  });
})();
