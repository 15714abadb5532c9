import type { TemplateStarter } from "./starter.ts"

const NAME = { name: "name", default: "there" }

export const receipt: TemplateStarter = {
  name: "Receipt",
  about: "What was paid, when and how",
  subject: "Your receipt from [company]: {{ order.number }}",
  preheader: "{{ order.total }}, paid on {{ order.date }}.",
  variables: [NAME],
  samples: {
    name: "Ada",
    "order.number": "A-1042",
    "order.date": "14 May",
    "order.item": "Team plan, one month",
    "order.total": "€29.00",
    "order.url": "https://example.com/orders/A-1042",
  },
  blocks: [
    { kind: "heading", level: 1, text: "Thank you, {{ name }}" },
    { kind: "text", html: "Your payment has arrived. Here is the receipt for your records." },
    { kind: "divider" },
    {
      kind: "text",
      html: "Order <strong>{{ order.number }}</strong><br>Paid on {{ order.date }}<br><br>{{ order.item }}",
    },
    { kind: "heading", level: 2, text: "Total: {{ order.total }}" },
    { kind: "divider" },
    { kind: "button", label: "View your order", url: "{{ order.url }}" },
    { kind: "text", html: "Something wrong? Reply to this email and we will fix it." },
  ],
}

export const shipped: TemplateStarter = {
  name: "Order shipped",
  about: "The tracking link, and when it arrives",
  subject: "Your order {{ order.number }} is on its way",
  preheader: "It arrives on {{ order.arrival }}.",
  variables: [NAME],
  samples: {
    name: "Ada",
    "order.number": "A-1042",
    "order.arrival": "Thursday",
    "order.trackingUrl": "https://example.com/track",
  },
  blocks: [
    { kind: "heading", level: 1, text: "Your order is on its way" },
    {
      kind: "text",
      html: "Hi {{ name }},<br><br>we handed order <strong>{{ order.number }}</strong> to [carrier]. It should arrive on <strong>{{ order.arrival }}</strong>.",
    },
    { kind: "button", label: "Track the parcel", url: "{{ order.trackingUrl }}" },
    { kind: "text", html: "Not at home that day? [Say what the reader can do.]" },
  ],
}

export const paymentFailed: TemplateStarter = {
  name: "Payment failed",
  about: "Asks for another way to pay",
  subject: "Your payment did not go through",
  preheader: "Update your payment details to keep your plan.",
  variables: [NAME],
  samples: {
    name: "Ada",
    amount: "€29.00",
    retryDate: "18 May",
    billingUrl: "https://example.com",
  },
  blocks: [
    { kind: "heading", level: 1, text: "Your payment did not go through" },
    {
      kind: "text",
      html: "Hi {{ name }},<br><br>your bank declined the payment of <strong>{{ amount }}</strong>. We try again on {{ retryDate }}. To keep your plan, update your payment details before then.",
    },
    { kind: "button", label: "Update payment details", url: "{{ billingUrl }}" },
    { kind: "text", html: "Already paid? Then you are all set. Thank you." },
  ],
}
