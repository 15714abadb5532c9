import type { Starter } from "./starter.ts"

export const announcement: Starter = {
  name: "Announcement",
  about: "One piece of news, one button",
  subject: "Something new is here",
  preheader: "A short look at what it does and why we built it.",
  blocks: [
    { kind: "heading", level: 1, text: "Introducing [name of the product]", align: "center" },
    {
      kind: "text",
      html: "Hi {{ firstName }},<br><br>For the last few months we have worked on one thing: making [the task] take minutes instead of hours. Today it is ready for you.",
    },
    { kind: "button", label: "See it in action", url: "https://example.com/new", align: "center" },
    { kind: "divider" },
    {
      kind: "text",
      html: "<ul><li><strong>Faster.</strong> [What takes less time now.]</li><li><strong>Simpler.</strong> [What nobody has to do by hand any more.]</li><li><strong>Included.</strong> It is part of every plan, and you do not need to set anything up.</li></ul>",
    },
    { kind: "text", html: "Questions? Just reply to this email.<br><br>The [company] team" },
  ],
}

export const newsletter: Starter = {
  name: "Newsletter",
  about: "An introduction and several stories",
  subject: "[Month] at [company]",
  preheader: "Three stories, one minute each.",
  blocks: [
    { kind: "text", html: "[Company] · [Month]", align: "center", color: "#71717a" },
    { kind: "heading", level: 1, text: "[The main story in one line]", align: "center" },
    {
      kind: "text",
      html: "Hi {{ firstName }},<br><br>[Two sentences on what happened this month, and why it matters to your readers.]",
    },
    { kind: "button", label: "Read the full story", url: "https://example.com/story" },
    { kind: "divider", spaceTop: 8 },
    {
      kind: "columns",
      layout: "1-1",
      columns: [
        [
          { kind: "heading", level: 3, text: "[Second story]", spaceBottom: 8 },
          {
            kind: "text",
            html: '[Two lines that make people want to read it.] <a href="https://example.com/second">Read more</a>',
          },
        ],
        [
          { kind: "heading", level: 3, text: "[Third story]", spaceBottom: 8 },
          {
            kind: "text",
            html: '[Two lines that make people want to read it.] <a href="https://example.com/third">Read more</a>',
          },
        ],
      ],
    },
    { kind: "divider" },
    {
      kind: "text",
      html: 'Did a friend forward this to you? <a href="https://example.com/newsletter">Subscribe here</a>.',
      align: "center",
    },
  ],
}

export const productUpdate: Starter = {
  name: "Product update",
  about: "What was added, improved and fixed",
  subject: "What is new in [product]",
  preheader: "New this month, improved, and fixed.",
  blocks: [
    { kind: "heading", level: 1, text: "What is new in [product]" },
    { kind: "text", html: "Hi {{ firstName }}, here is what we shipped this month." },
    { kind: "heading", level: 2, text: "New: [feature]", spaceTop: 8, spaceBottom: 8 },
    {
      kind: "text",
      html: "[What it does, in one sentence.] You find it in <strong>Settings</strong>, under [name].",
    },
    { kind: "button", label: "Try [feature]", url: "https://example.com/feature" },
    { kind: "heading", level: 3, text: "Improved", spaceTop: 8, spaceBottom: 8 },
    {
      kind: "text",
      html: "<ul><li>[Search finds results as you type.]</li><li>[Reports load twice as fast.]</li></ul>",
    },
    { kind: "heading", level: 3, text: "Fixed", spaceBottom: 8 },
    { kind: "text", html: "<ul><li>[Dates in exports use your time zone.]</li></ul>" },
    { kind: "divider" },
    {
      kind: "text",
      html: 'The full list is in our <a href="https://example.com/changelog">changelog</a>. Tell us what you would like next: reply to this email.',
    },
  ],
}

export const plainLetter: Starter = {
  name: "Plain letter",
  about: "Looks like an email from a person",
  subject: "A quick note",
  theme: { pageBackground: "#ffffff", cardBackground: "#ffffff" },
  blocks: [
    {
      kind: "text",
      html: "Hi {{ firstName }},<br><br>[Say why you write, in one or two sentences.]<br><br>[What you would like the reader to do.] You can reply to this email; I read every answer.<br><br>Best,<br>[Your name]<br>[Company]",
    },
  ],
}
