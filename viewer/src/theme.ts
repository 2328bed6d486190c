// Light or dark theme: that of the system, until the user changes it.

type Listener = () => void;

const KEY = "percussion-theme";

class Theme {
  private readonly listeners: Listener[] = [];
  private readonly system = matchMedia("(prefers-color-scheme: dark)");

  constructor() {
    this.apply(this.remembered());
    this.system.addEventListener("change", () => this.apply(this.remembered()));
  }

  onchange(listener: Listener): void {
    this.listeners.push(listener);
  }

  turn(): void {
    const next = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
    try {
      localStorage.setItem(KEY, next);
    } catch {
      // A page from a file may have no local storage.
    }
    this.apply(next);
  }

  private remembered(): string | null {
    try {
      return localStorage.getItem(KEY);
    } catch {
      return null;
    }
  }

  private apply(name: string | null): void {
    const chosen = name === "light" || name === "dark" ? name : this.system.matches ? "dark" : "light";
    document.documentElement.dataset.theme = chosen;
    for (const listener of this.listeners) listener();
  }
}

export const theme = new Theme();
