import { mail, type SequenceStarter, wait } from "./starter.ts"

export const welcomeSeries: SequenceStarter = {
  name: "Welcome series",
  about: "Three emails in a week for everyone who subscribes",
  content: {
    trigger: { on: "subscribed" },
    steps: [
      mail(
        "welcome",
        "Welcome to [company]",
        [
          "Good to have you here",
          "Thanks for subscribing. We write [once a week] about [your topic].",
          "Here is what readers like best:",
        ],
        { label: "Read the favorites", url: "https://example.com/favorites" },
      ),
      wait("two-days", "2d"),
      mail(
        "first-steps",
        "Three ways to get started",
        [
          "Get more out of [company]",
          "<ol><li><strong>[The first useful thing.]</strong> It takes a minute.</li><li><strong>[The second one.]</strong></li><li><strong>[The third one.]</strong></li></ol>",
        ],
        { label: "Get started", url: "https://example.com/start" },
      ),
      wait("four-days", "4d"),
      mail("question", "One question", [
        "What would help you most?",
        "Reply to this email and tell us in a sentence. A person reads every answer.",
      ]),
    ],
  },
}

export const confirmAndWelcome: SequenceStarter = {
  name: "Confirm and welcome",
  about: "Greets people right after they confirm, then asks what they want to get",
  content: {
    trigger: { on: "subscribed" },
    steps: [
      mail(
        "confirmed",
        "You are subscribed",
        ["It worked", "You confirmed your address. Here is what you signed up for:"],
        { label: "[Get the guide]", url: "https://example.com/guide" },
      ),
      wait("one-day", "1d"),
      {
        key: "has-opened",
        kind: "branch",
        cases: [
          {
            filter: { all: [{ activity: "opened", withinDays: 7 }] },
            steps: [
              mail(
                "choose",
                "What should we write about?",
                ["Choose what you get", "Pick the topics you care about. It takes a moment."],
                { label: "Choose topics", url: "{{ preferencesUrl }}" },
              ),
            ],
          },
        ],
        else: [
          mail(
            "once-more",
            "Did you get it?",
            ["Here it is once more", "In case our first email got lost among the others."],
            { label: "[Get the guide]", url: "https://example.com/guide" },
          ),
        ],
      },
    ],
  },
}
