import { expect, it } from "vitest"
import { embedCode } from "../../src/dashboard/pages/forms/embed-code.ts"
import { type FieldValues, toName } from "../../src/dashboard/pages/forms/values.ts"

const field = (given: Partial<FieldValues>): FieldValues => ({
  ...{ name: "email", label: "Email", required: false, type: "text" },
  ...given,
})

it("is plain HTML with every kind of field, and nothing of a label is markup", () => {
  const fields = [
    field({ type: "email", required: true }),
    field({ name: "city", label: "City", type: "select", options: ["London", "<Paris>"] }),
    field({ name: 'a"b', label: "<script>", type: "checkbox" }),
  ]
  expect(embedCode({ fields, wording: "Yes,\n& soon." }, "https://mail.example.com/f/frm_1")).toBe(
    `<form method="post" accept-charset="utf-8" action="https://mail.example.com/f/frm_1">
  <label>Email <input type="email" name="email" required></label>
  <label>City <select name="city"><option value=""></option><option>London</option><option>&lt;Paris&gt;</option></select></label>
  <label><input type="checkbox" name="a&quot;b" value="yes"> &lt;script&gt;</label>
  <div hidden><input name="your-website" tabindex="-1" autocomplete="off"></div>
  <p>Yes,<br>&amp; soon.</p>
  <button>Subscribe</button>
</form>`,
  )
})

it("names a property after its label", () => {
  expect(toName("Favourite color")).toBe("favouriteColor")
  expect(toName("  Größe (cm) ")).toBe("größeCm")
})
