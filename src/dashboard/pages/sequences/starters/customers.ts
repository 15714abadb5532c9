import { mail, type SequenceStarter, wait } from "./starter.ts"

export const trialEnds: SequenceStarter = {
  name: "Trial ending",
  about: "From the event trial.started until somebody buys",
  content: {
    trigger: { on: "event", name: "trial.started" },
    goal: { all: [{ event: "plan.purchased" }] },
    steps: [
      mail(
        "trial-started",
        "Your trial has started",
        ["You have 14 days", "Everything in [product] is open to you. Start with this:"],
        { label: "Open [product]", url: "https://example.com/app" },
      ),
      wait("until-half", "7d"),
      mail("half", "Halfway through your trial", [
        "How is it going?",
        "Reply with any question. Here is what most people try next: [feature].",
      ]),
      wait("until-end", "5d"),
      mail(
        "trial-ends",
        "Your trial ends in two days",
        ["Keep what you made", "Choose a plan and nothing changes for you."],
        { label: "Choose a plan", url: "https://example.com/plans" },
      ),
    ],
  },
}

export const cartLeft: SequenceStarter = {
  name: "Abandoned cart",
  about: "From the event cart.updated, unless order.paid comes first",
  content: {
    trigger: { on: "event", name: "cart.updated" },
    entry: "again",
    steps: [
      {
        key: "paid",
        kind: "waitFor",
        event: "order.paid",
        timeout: "4h",
        // biome-ignore lint/suspicious/noThenProperty: A member of the contract.
        then: [{ key: "bought", kind: "end" }],
        else: [
          mail(
            "reminder",
            "You left something in your cart",
            ["Still interested?", "We kept your cart for you."],
            { label: "Back to the cart", url: "https://example.com/cart" },
          ),
        ],
      },
      {
        key: "paid-later",
        kind: "waitFor",
        event: "order.paid",
        timeout: "2d",
        // biome-ignore lint/suspicious/noThenProperty: A member of the contract.
        then: [],
        else: [
          mail("help", "Can we help with your order?", [
            "Is something unclear?",
            "Reply to this email. We answer questions about [shipping, sizes, payment].",
          ]),
        ],
      },
    ],
  },
}

export const winBack: SequenceStarter = {
  name: "Win back",
  about: "From the event customer.inactive until somebody returns",
  content: {
    trigger: { on: "event", name: "customer.inactive" },
    entry: "again",
    goal: { all: [{ event: "order.paid", withinDays: 30 }] },
    steps: [
      mail(
        "missed",
        "What is new at [company]",
        ["It has been a while", "This is new since your last visit: [three highlights]."],
        { label: "See what is new", url: "https://example.com/new" },
      ),
      wait("a-week", "7d"),
      {
        key: "offer",
        kind: "split",
        parts: [
          {
            weight: 1,
            steps: [
              mail(
                "discount",
                "[10%] off, for your return",
                ["A reason to come back", "Use the code [CODE] until [date]."],
                { label: "Use the code", url: "https://example.com/shop" },
              ),
            ],
          },
          {
            weight: 1,
            steps: [
              mail("ask", "Why did you leave?", [
                "Tell us what was missing",
                "Reply in a sentence. It helps us to do better.",
              ]),
            ],
          },
        ],
      },
    ],
  },
}
