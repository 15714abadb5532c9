import type { Starter } from "./starter.ts"

export const sale: Starter = {
  name: "Sale",
  about: "The offer, the code and the deadline",
  subject: "[20]% off until Sunday",
  preheader: "Your code is inside. It ends on Sunday at midnight.",
  theme: {
    pageBackground: "#18181b",
    cardBackground: "#ffffff",
    textColor: "#18181b",
    linkColor: "#be123c",
  },
  blocks: [
    { kind: "text", html: "<strong>THIS WEEK ONLY</strong>", align: "center", color: "#be123c" },
    { kind: "heading", level: 1, text: "[20]% off everything", align: "center" },
    {
      kind: "text",
      html: "Hi {{ firstName }}, use the code <strong>[CODE]</strong> at checkout. It works on everything in the shop, also on what is already reduced.",
      align: "center",
    },
    { kind: "button", label: "Shop the sale", url: "https://example.com/sale", align: "center" },
    { kind: "divider", spaceTop: 8 },
    {
      kind: "columns",
      layout: "1-1-1",
      columns: [product("[Product one]"), product("[Product two]"), product("[Product three]")],
    },
    {
      kind: "text",
      html: "Ends on Sunday at midnight. One code for each customer.",
      align: "center",
      color: "#71717a",
    },
  ],
}

function product(name: string) {
  return [
    { kind: "heading", level: 3, text: name, align: "center", spaceBottom: 4 } as const,
    { kind: "text", html: "[Price]", align: "center" } as const,
  ]
}

export const winBack: Starter = {
  name: "Re-engagement",
  about: "Asks quiet readers whether to go on",
  subject: "Do you still want to hear from us?",
  preheader: "Stay with one click, or choose what you get.",
  blocks: [
    { kind: "heading", level: 1, text: "It has been a while, {{ firstName }}" },
    {
      kind: "text",
      html: "You have not opened our emails lately, and we do not want to fill your inbox. Would you like to keep getting them?",
    },
    { kind: "button", label: "Yes, keep me on the list", url: "https://example.com/stay" },
    {
      kind: "text",
      html: 'Prefer fewer emails? <a href="{{ preferencesUrl }}">Choose your topics</a>. If we do not hear from you, we stop writing in [30 days].',
    },
    { kind: "divider" },
    { kind: "heading", level: 3, text: "What you missed", spaceBottom: 8 },
    { kind: "text", html: "<ul><li>[The best thing since then.]</li><li>[Another one.]</li></ul>" },
  ],
}
