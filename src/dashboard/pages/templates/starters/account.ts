import type { TemplateStarter } from "./starter.ts"

const NAME = { name: "name", default: "there" }
const IGNORE = "If you did not request this, you can ignore this email."
const GREY = "#71717a"

export const welcome: TemplateStarter = {
  name: "Welcome",
  about: "First steps after signing up",
  subject: "Welcome to [company], {{ name }}",
  preheader: "Your account is ready. Here is where to start.",
  variables: [NAME],
  samples: { name: "Ada", startUrl: "https://example.com/start" },
  blocks: [
    { kind: "heading", level: 1, text: "Welcome, {{ name }}" },
    { kind: "text", html: "Your account is ready. These steps take five minutes:" },
    {
      kind: "text",
      html: "<ol><li><strong>[First step.]</strong> [What it gives the reader.]</li><li><strong>[Second step.]</strong> [What it gives the reader.]</li><li><strong>[Third step.]</strong> [What it gives the reader.]</li></ol>",
    },
    { kind: "button", label: "Get started", url: "{{ startUrl }}" },
    { kind: "text", html: "Questions? Just reply to this email.<br><br>The [company] team" },
  ],
}

export const confirmAddress: TemplateStarter = {
  name: "Confirm your email",
  about: "A link that proves an address",
  subject: "Confirm your email address",
  preheader: "One click, and your account is ready.",
  variables: [],
  samples: { email: "ada@example.com", confirmUrl: "https://example.com/confirm" },
  blocks: [
    { kind: "heading", level: 1, text: "Confirm your email address" },
    {
      kind: "text",
      html: "Click the button to confirm that <strong>{{ email }}</strong> is yours. The link works for [24 hours].",
    },
    { kind: "button", label: "Confirm email address", url: "{{ confirmUrl }}" },
    { kind: "text", html: IGNORE, color: GREY },
  ],
}

export const signInCode: TemplateStarter = {
  name: "Sign-in code",
  about: "A code to type in, in large digits",
  subject: "{{ code }} is your sign-in code",
  preheader: "It works for 10 minutes. Do not share it.",
  variables: [],
  samples: { code: "482 913" },
  blocks: [
    { kind: "text", html: "Your sign-in code for [company]", align: "center", spaceBottom: 8 },
    { kind: "heading", level: 1, text: "{{ code }}", align: "center" },
    {
      kind: "text",
      html: "Enter it within [10 minutes]. We never ask for it by phone or chat.",
      align: "center",
    },
    { kind: "divider" },
    {
      kind: "text",
      html: "If this was not you, change your password now.",
      align: "center",
      color: GREY,
    },
  ],
}

export const passwordReset: TemplateStarter = {
  name: "Password reset",
  about: "A link to choose a new password",
  subject: "Reset your password",
  preheader: "The link works for one hour.",
  variables: [NAME],
  samples: { name: "Ada", resetUrl: "https://example.com/reset" },
  blocks: [
    { kind: "heading", level: 1, text: "Reset your password" },
    {
      kind: "text",
      html: "Hi {{ name }},<br><br>somebody asked to reset the password of your [company] account. The link works for [one hour], and once.",
    },
    { kind: "button", label: "Choose a new password", url: "{{ resetUrl }}" },
    { kind: "text", html: `${IGNORE} Your password stays as it is.`, color: GREY },
  ],
}

export const invitation: TemplateStarter = {
  name: "Invitation",
  about: "Somebody asks a colleague to join",
  subject: "{{ inviter }} invited you to {{ team }}",
  preheader: "Accept to get access.",
  variables: [],
  samples: { inviter: "Grace", team: "Acme", inviteUrl: "https://example.com/invite" },
  blocks: [
    { kind: "heading", level: 1, text: "Join {{ team }}" },
    {
      kind: "text",
      html: "<strong>{{ inviter }}</strong> invited you to work together in {{ team }} on [company].",
    },
    { kind: "button", label: "Accept the invitation", url: "{{ inviteUrl }}" },
    {
      kind: "text",
      html: "The invitation expires in [7 days]. If you do not know {{ inviter }}, you can ignore this email.",
      color: GREY,
    },
  ],
}
