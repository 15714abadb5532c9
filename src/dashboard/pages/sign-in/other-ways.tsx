import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import type {
  getMethods,
  SocialProvider,
  signInWithPasskey,
  startSocialSignIn,
} from "../../../worker/access/people/sign-in/visitors-contract.ts"
import { callAuth } from "../../api/api.ts"
import { answerPasskey, canUsePasskeys } from "../../api/passkeys.ts"
import type { ReplyOf } from "../../api/session.ts"
import { Button } from "../../ui/button.tsx"
import { ErrorBox } from "../../ui/form/error-box.tsx"

type Methods = ReplyOf<typeof getMethods>

export const useMethods = () =>
  useQuery({
    queryKey: ["methods"],
    queryFn: () => callAuth<Methods>({ method: "GET", path: "/methods" }),
  })

const PROVIDERS: readonly (readonly [SocialProvider, label: string])[] = [
  ["google", "Google"],
  ["github", "GitHub"],
]

/** Of the ways to sign in, a passkey alone. */
export const onlyPasskey = (passkey: boolean): Methods => ({
  password: false,
  passkey,
  google: false,
  github: false,
  oidc: [],
  claimable: false,
})

/** The ways to sign in without a password. */
export function OtherWays({ methods, onSignedIn }: { methods: Methods; onSignedIn(): unknown }) {
  const [busy, setBusy] = useState("")
  const [error, setError] = useState<unknown>(null)
  const run = async (name: string, way: () => Promise<unknown>) => {
    setBusy(name)
    setError(null)
    await way().catch(setError)
    setBusy("")
  }
  const byPasskey = async () => {
    const options = await callAuth<object>({ method: "POST", path: "/passkey/options" })
    const response = await answerPasskey(options)
    if (!response) return
    const body = { response }
    await callAuth<ReplyOf<typeof signInWithPasskey>>({
      method: "POST",
      path: "/passkey/verify",
      body,
    })
    await onSignedIn()
  }
  const through = async (provider: string) => {
    const { url } = await callAuth<ReplyOf<typeof startSocialSignIn>>({
      method: "POST",
      path: "/sign-in/social",
      body: { provider },
    })
    location.assign(url)
  }
  const passkey = methods.passkey && canUsePasskeys
  const providers = [
    ...PROVIDERS.filter(([provider]) => methods[provider]),
    ...methods.oidc.map(({ id, name }) => [id, name] as const),
  ]
  if (!passkey && providers.length === 0) return null
  return (
    <div className="grid gap-2">
      <p className="flex items-center gap-3 text-xs text-muted before:flex-1 before:border-t after:flex-1 after:border-t">
        or
      </p>
      {passkey && (
        <Button busy={busy === "passkey"} onClick={() => run("passkey", byPasskey)}>
          Sign in with a passkey
        </Button>
      )}
      {providers.map(([provider, label]) => (
        <Button
          key={provider}
          busy={busy === provider}
          onClick={() => run(provider, () => through(provider))}
        >
          Sign in with {label}
        </Button>
      ))}
      {error !== null && <ErrorBox error={error} />}
    </div>
  )
}
