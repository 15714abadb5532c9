import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import type {
  createPasskey,
  listPasskeys,
  listSessions,
  startPasskey,
} from "../../../worker/access/people/profile-contract.ts"
import { call, path } from "../../api/api.ts"
import { canUsePasskeys, makePasskey } from "../../api/passkeys.ts"
import { queries, refresh } from "../../api/queries.ts"
import type { ReplyOf } from "../../api/session.ts"
import { Button } from "../../ui/button.tsx"
import { Confirm } from "../../ui/dialog/dialog.tsx"
import { ErrorBox } from "../../ui/form/error-box.tsx"
import { RowMenu } from "../../ui/menu/row-menu.tsx"
import { Section } from "../../ui/page.tsx"
import { Time } from "../../ui/time/time.tsx"
import { say } from "../../ui/toast.tsx"
import { useTask } from "../../ui/use-task.ts"
import { Loaded } from "../../ui/waiting.tsx"
import { RenamePasskey } from "./rename-passkey.tsx"
import { SignInAgain } from "./sign-in-again.tsx"

export type Passkey = ReplyOf<typeof listPasskeys>["data"][number]

/** The first name of a passkey is the device that it was made on. */
function deviceName(): string {
  const sessions = queries.getQueryData<ReplyOf<typeof listSessions>>(["sessions"])
  return sessions?.data.find(({ current }) => current)?.device ?? "Passkey"
}

/** Whether the person went through with it. */
export async function addPasskey(): Promise<boolean> {
  const options = await call<typeof startPasskey>({ method: "POST", path: "/passkeys/options" })
  const response = await makePasskey(options)
  if (!response) return false
  const body = { name: deviceName(), response }
  await call<typeof createPasskey>({ method: "POST", path: "/passkeys", body })
  await refresh("passkeys")
  say("Passkey added")
  return true
}

export function Passkeys({ canAdd }: { canAdd: boolean }) {
  const passkeys = useQuery({
    queryKey: ["passkeys"],
    queryFn: () => call<typeof listPasskeys>({ method: "GET", path: "/passkeys" }),
  })
  const { busy, error, run } = useTask(addPasskey)
  return (
    <Section
      title="Passkeys"
      about="Sign in with your fingerprint, face or device. Passkeys cannot be phished."
      actions={
        canUsePasskeys && !canAdd ? (
          <SignInAgain to="add a passkey" />
        ) : (
          <Button
            busy={busy}
            onClick={run}
            disabledBecause={!canUsePasskeys && "This browser does not support passkeys"}
          >
            Add passkey
          </Button>
        )
      }
    >
      {error !== null && <ErrorBox error={error} retry={run} />}
      <Loaded query={passkeys} lines={2}>
        {({ data }) => <PasskeyList passkeys={data} />}
      </Loaded>
    </Section>
  )
}

function PasskeyList({ passkeys }: { passkeys: readonly Passkey[] }) {
  const [removing, setRemoving] = useState<Passkey | null>(null)
  const [renaming, setRenaming] = useState<Passkey | null>(null)
  if (passkeys.length === 0) return <p className="text-muted">No passkeys yet.</p>
  return (
    <>
      <ul className="rounded-lg border bg-raised">
        {passkeys.map((passkey) => (
          <li
            key={passkey.id}
            className="flex min-h-12 flex-wrap items-center justify-between gap-2 border-b px-4 py-2 last:border-0"
          >
            <div className="min-w-0 flex-1">
              <p className="font-medium wrap-anywhere">{passkey.name}</p>
              <p className="text-xs text-muted">
                Added <Time at={passkey.createdAt} />
                {passkey.syncs ? ", synced across your devices" : ", on one device"}
              </p>
            </div>
            <RowMenu
              name={passkey.name}
              items={[
                { label: "Rename", onSelect: () => setRenaming(passkey) },
                { label: "Remove passkey", danger: true, onSelect: () => setRemoving(passkey) },
              ]}
            />
          </li>
        ))}
      </ul>
      {renaming && <RenamePasskey passkey={renaming} onClose={() => setRenaming(null)} />}
      <Confirm
        open={removing !== null}
        onOpenChange={() => setRemoving(null)}
        title={`Remove ${removing?.name}?`}
        description="You can no longer sign in with it. Also delete it from your device."
        action="Remove passkey"
        onConfirm={async () => {
          if (!removing) return
          await call({ method: "DELETE", path: path`/passkeys/${removing.id}` })
          await refresh("passkeys")
        }}
      />
    </>
  )
}
