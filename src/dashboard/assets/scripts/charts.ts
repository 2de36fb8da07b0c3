/** The figures below the pointer. */
export const CHARTS = `
  every("[data-tips]", (plot) => {
    const tips = JSON.parse(plot.dataset.tips);
    const chart = plot.querySelector("svg");
    const tip = document.createElement("div");
    tip.className = "tip";
    tip.hidden = true;
    plot.append(tip);
    chart.addEventListener("pointerleave", () => tip.hidden = true);
    chart.addEventListener("pointermove", ({ clientX }) => {
      const { left, width } = chart.getBoundingClientRect();
      const place = Math.floor((clientX - left) / width * tips.length);
      if (!tips[place]) return;
      tip.textContent = tips[place];
      tip.hidden = false;
      const room = plot.clientWidth - tip.offsetWidth;
      const start = clientX - plot.getBoundingClientRect().left + 14;
      tip.style.left = Math.min(start, room) + "px";
    });
  });
`;
