import type { Starter } from "./starter.ts"

export const welcome: Starter = {
  name: "Welcome",
  about: "First steps for new subscribers",
  subject: "Welcome to [company], {{ firstName }}",
  preheader: "Three steps to get started.",
  blocks: [
    { kind: "heading", level: 1, text: "Welcome, {{ firstName }}" },
    {
      kind: "text",
      html: "Thanks for joining [company]. Here is how to get the most out of your first week:",
    },
    {
      kind: "text",
      html: "<ol><li><strong>Complete your profile.</strong> It takes a minute.</li><li><strong>[Do the first useful thing.]</strong> You see the result right away.</li><li><strong>Invite your team.</strong> It is better together.</li></ol>",
    },
    { kind: "button", label: "Get started", url: "https://example.com/start" },
    { kind: "divider", spaceTop: 8 },
    {
      kind: "text",
      html: 'Stuck? Our <a href="https://example.com/help">help center</a> has short answers, and you can always reply to this email.',
    },
  ],
}

export const invitation: Starter = {
  name: "Event invitation",
  about: "Date, place and a button to register",
  subject: "You are invited: [event]",
  preheader: "[Date] in [city]. Seats are limited.",
  blocks: [
    { kind: "text", html: "You are invited", align: "center", color: "#71717a", spaceBottom: 8 },
    { kind: "heading", level: 1, text: "[Name of the event]", align: "center" },
    {
      kind: "columns",
      layout: "1-1",
      columns: [
        [
          { kind: "heading", level: 3, text: "When", align: "center", spaceBottom: 4 },
          { kind: "text", html: "[Thursday, 14 May]<br>[18:00 to 21:00]", align: "center" },
        ],
        [
          { kind: "heading", level: 3, text: "Where", align: "center", spaceBottom: 4 },
          { kind: "text", html: "[Venue]<br>[Street, city]", align: "center" },
        ],
      ],
    },
    {
      kind: "text",
      html: "Hi {{ firstName }},<br><br>[What happens at the event, who speaks, and what guests take home.]",
    },
    { kind: "button", label: "Save my seat", url: "https://example.com/event", align: "center" },
    {
      kind: "text",
      html: 'Cannot come? <a href="https://example.com/recording">Get the recording</a> instead.',
      align: "center",
    },
  ],
}

export const thankYou: Starter = {
  name: "Thank you",
  about: "A summary and what happens next",
  subject: "Thank you, {{ firstName }}",
  preheader: "Here is what happens next.",
  blocks: [
    { kind: "heading", level: 1, text: "Thank you, {{ firstName }}" },
    { kind: "text", html: "We appreciate your order. Here is a short summary for your records." },
    { kind: "divider" },
    {
      kind: "columns",
      layout: "2-1",
      columns: [
        [{ kind: "text", html: "<strong>[Product or plan]</strong><br>[Quantity or period]" }],
        [{ kind: "text", html: "<strong>[Amount]</strong>", align: "right" }],
      ],
    },
    { kind: "divider" },
    { kind: "heading", level: 3, text: "What happens next", spaceBottom: 8 },
    {
      kind: "text",
      html: "<ul><li>[We ship within two working days.]</li><li>[You get a message with the tracking number.]</li></ul>",
    },
    { kind: "button", label: "View your account", url: "https://example.com/account" },
    { kind: "text", html: "Something wrong? Reply to this email and we will fix it." },
  ],
}

export const survey: Starter = {
  name: "Survey",
  about: "One question, answered by a click",
  subject: "{{ firstName }}, how are we doing?",
  preheader: "One question. It takes ten seconds.",
  blocks: [
    { kind: "heading", level: 1, text: "How are we doing?", align: "center" },
    {
      kind: "text",
      html: "Hi {{ firstName }}, how satisfied are you with [product]? Choose an answer, and that is it.",
      align: "center",
    },
    {
      kind: "columns",
      layout: "1-1-1",
      columns: [
        [answer("Great", "#15803d")],
        [answer("Okay", "#a16207")],
        [answer("Poor", "#b91c1c")],
      ],
    },
    {
      kind: "text",
      html: "We read every answer. If you have more to say, reply to this email.",
      align: "center",
    },
  ],
}

function answer(label: string, color: string) {
  const url = `https://example.com/survey?answer=${label.toLowerCase()}`
  return { kind: "button", label, url, color, width: 100 } as const
}
