import { useNavigate } from "@tanstack/react-router"
import { signInInput } from "../../../people/contract.ts"
import { callAuth } from "../../api/api.ts"
import { queries } from "../../api/queries.ts"
import { useFilters } from "../../app/params.ts"
import { Field, TextInput } from "../../ui/field.tsx"
import { Form, useSchemaForm } from "../../ui/form.tsx"

export default function SignIn() {
  const [{ next }] = useFilters()
  const navigate = useNavigate()
  const form = useSchemaForm(signInInput, { email: "", password: "" })
  const { errors } = form.formState
  const signIn = async (body: { email: string; password: string }) => {
    await callAuth({ method: "POST", path: "/sign-in/email", body })
    queries.clear()
    navigate({ href: next?.startsWith("/dashboard") ? next : "/dashboard" })
  }
  return (
    <main className="mx-auto grid max-w-sm gap-6 px-4 py-[16vh]">
      <h1 className="text-xl font-semibold">Sign in to Edgepost</h1>
      <Form form={form} submit="Sign in" onSubmit={signIn}>
        <Field label="Email" error={errors.email?.message}>
          {(control) => (
            <TextInput
              {...control}
              {...form.register("email")}
              type="email"
              autoComplete="username"
            />
          )}
        </Field>
        <Field label="Password" error={errors.password?.message}>
          {(control) => (
            <TextInput
              {...control}
              {...form.register("password")}
              type="password"
              autoComplete="current-password"
            />
          )}
        </Field>
      </Form>
    </main>
  )
}
