"use strict";
(() => {
  const table = document.getElementById("list-table");
  const addOpeners = () => addEventListener("beforeprint", () =>
    document.querySelectorAll("details").forEach((fold) => { fold.open = true; }));
  addOpeners();
  if (!table) return;
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
