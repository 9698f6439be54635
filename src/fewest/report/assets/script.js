"use strict";
(() => {
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const made = (name, words, css) => {
    // Names may hold anything: they are only ever set as text.
    const element = document.createElement(name);
    if (words !== undefined) element.textContent = words;
    if (css) element.className = css;
    return element;
  };
  const dataOf = (element) => JSON.parse(element.querySelector('script[type="application/json"]').textContent);

  // Sorting: rows without a number stay last, whichever the direction; equal rows keep their order.
  const compareTexts = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" }).compare;
  const sort = (head) => {
    const heads = all("th", head.parentElement);
    const column = heads.indexOf(head);
    const first = head.dataset.first;
    const other = first === "ascending" ? "descending" : "ascending";
    const direction = head.getAttribute("aria-sort") === first ? other : first;
    heads.forEach((each) => each.setAttribute("aria-sort", each === head ? direction : "none"));
    const body = head.closest("table").tBodies[0];
    const rows = [...body.rows].map((row) => {
      const cell = row.cells[column];
      const by = cell.dataset.by;
      return { row, by: by === undefined ? null : Number(by), text: cell.textContent.trim() };
    });
    const hasNumbers = rows.some((entry) => entry.by !== null);
    const sign = direction === "ascending" ? 1 : -1;
    const isLast = (entry) => (hasNumbers ? entry.by === null : entry.text === "–");
    rows.sort((a, b) => {
      if (isLast(a) || isLast(b)) return isLast(a) - isLast(b);
      return sign * (hasNumbers ? a.by - b.by : compareTexts(a.text, b.text));
    });
    body.append(...rows.map((entry) => entry.row));
  };
  all(".sortable thead button").forEach((button) => button.addEventListener("click", () => sort(button.closest("th"))));

  // Searching keeps the height of the table, so that nothing below it jumps.
  all(".searchable").forEach((part) => {
    const input = part.querySelector("input");
    const tally = part.querySelector(".tally");
    const frame = part.querySelector(".scroll");
    const rows = [...part.querySelector("tbody").rows];
    const named = (n) => n.toLocaleString("en-US");
    const everything = tally.textContent;
    input.addEventListener("input", () => {
      const query = input.value.trim().toLowerCase();
      frame.style.minHeight = query ? `${frame.getBoundingClientRect().height}px` : "";
      let shown = 0;
      rows.forEach((row) => {
        row.hidden = !row.cells[0].textContent.toLowerCase().includes(query);
        shown += !row.hidden;
      });
      tally.textContent = query ? `${named(shown)} of ${named(rows.length)} shown` : everything;
      // A search goes through the rows that are folded too.
      part.classList.toggle("searching", query !== "");
    });
  });

  const copyOldWay = (text) => {
    const area = made("textarea", undefined, "unseen");
    area.value = text;
    document.body.append(area);
    area.select();
    const isDone = document.execCommand("copy");
    area.remove();
    if (!isDone) throw new Error("not copied");
  };
  all("button.copy").forEach((button) => {
    const text = dataOf(button.parentElement).join("\n");
    const label = button.querySelector(".label").children[1];
    let timer;
    button.addEventListener("click", async () => {
      try {
        try {
          await navigator.clipboard.writeText(text);
        } catch {
          copyOldWay(text);
        }
        label.textContent = "Copied";
      } catch {
        label.textContent = "Failed";
      }
      button.classList.add("done");
      button.setAttribute("aria-label", label.textContent);
      clearTimeout(timer);
      timer = setTimeout(() => {
        button.classList.remove("done");
        button.removeAttribute("aria-label");
      }, 1600);
    });
  });

  // All switches of a table move together, where the other part has that classifier.
  all(".switch input").forEach((input) =>
    input.addEventListener("change", () => {
      const top = input.getBoundingClientRect().top;
      const part = input.closest("article");
      all("section", part).forEach((section) => {
        const panels = all(".panel", section);
        if (!panels.some((panel) => panel.dataset.classifier === input.value)) return;
        panels.forEach((panel) => (panel.hidden = panel.dataset.classifier !== input.value));
      });
      all(".switch input", part).forEach((each) => {
        if (each.value === input.value) each.checked = true;
      });
      // What lies above may have changed its height: the switch stays under the pointer.
      window.scrollBy(0, input.getBoundingClientRect().top - top);
    }),
  );

  // The legend: a click switches a line off or on, pointing at it lets it stand out.
  all("button.key").forEach((key) => {
    const part = key.closest("article");
    const number = key.dataset.number;
    const plot = key.closest("figure").querySelector(".plot");
    const lines = (within) => all(`.curve[data-number="${number}"]`, within);
    key.addEventListener("click", () => {
      const isOn = key.getAttribute("aria-pressed") !== "true";
      all(`button.key[data-number="${number}"]`, part).forEach((each) => each.setAttribute("aria-pressed", isOn));
      lines(part).forEach((line) => line.classList.toggle("off", !isOn));
    });
    const light = (isLit) => () => {
      plot.classList.toggle("lit", isLit && key.getAttribute("aria-pressed") === "true");
      lines(plot).forEach((line) => line.classList.toggle("on", isLit));
    };
    ["pointerenter", "focus"].forEach((event) => key.addEventListener(event, light(true)));
    ["pointerleave", "blur", "click"].forEach((event) => key.addEventListener(event, light(false)));
  });

  // The values of all lines at one position, under the pointer or by the arrow keys.
  all(".plot").filter((plot) => plot.querySelector(".box")).forEach((plot) => {
    const data = dataOf(plot);
    const box = plot.querySelector(".box");
    const figure = plot.closest("figure");
    // Names and values stand on the page already: in the legend and in the table behind the picture.
    const values = figure.querySelector("details tbody").rows;
    data.rows.forEach((row, index) => {
      row.key = figure.querySelector(`button.key[data-number="${row.number}"]`);
      row.shown = (at) => values[at].cells[index + 1].textContent;
    });
    let at = data.start;
    const picture = () => all("svg.wide, svg.narrow", plot).find((svg) => svg.getClientRects().length > 0);
    const hide = () => {
      box.classList.remove("shown");
      all("svg", plot).forEach((svg) => svg.classList.remove("shown"));
    };
    const show = (index) => {
      at = Math.min(Math.max(index, 0), data.titles.length - 1);
      const svg = picture();
      if (!svg) return;
      const kind = svg.classList.contains("wide") ? "wide" : "narrow";
      const scale = svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
      const x = data.positions[kind][at];
      svg.querySelector(".cursor").setAttribute("transform", `translate(${x} 0)`);
      svg.classList.add("shown");
      const isOff = (row) => plot.querySelector(`.curve.off[data-number="${row.number}"]`);
      const rows = data.rows.filter((row) => row.by[at] !== null && !isOff(row));
      rows.sort((a, b) => a.by[at] - b.by[at]);
      box.replaceChildren(
        made("p", data.titles[at]),
        ...rows.map((row) => {
          const line = made("div");
          line.append(...[...row.key.children].map((part) => part.cloneNode(true)), made("span", row.shown(at)));
          return line;
        }),
      );
      box.classList.add("shown");
      const width = box.offsetWidth;
      const right = x * scale + 14;
      const left = x * scale - 14 - width;
      const fitting = right + width <= plot.clientWidth ? right : left;
      box.style.left = `${Math.max(0, Math.min(fitting, plot.clientWidth - width))}px`;
      // On a telephone the box would hide the lines, so it lies below them.
      box.style.top = kind === "wide" ? "1.75rem" : "100%";
    };
    const nearest = (event) => {
      const svg = picture();
      const frame = svg.getBoundingClientRect();
      const x = ((event.clientX - frame.left) * svg.viewBox.baseVal.width) / frame.width;
      const positions = data.positions[svg.classList.contains("wide") ? "wide" : "narrow"];
      return positions.reduce((best, each, i) => (Math.abs(each - x) < Math.abs(positions[best] - x) ? i : best), 0);
    };
    plot.addEventListener("pointermove", (event) => show(nearest(event)));
    plot.addEventListener("pointerdown", (event) => show(nearest(event)));
    plot.addEventListener("pointerleave", hide);
    plot.addEventListener("focus", () => plot.matches(":focus-visible") && show(at));
    plot.addEventListener("blur", hide);
    plot.addEventListener("keydown", (event) => {
      const steps = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: data.titles.length - 1 };
      if (event.key === "Escape") hide();
      if (!(event.key in steps)) return;
      event.preventDefault();
      show(steps[event.key]);
    });
  });
})();
