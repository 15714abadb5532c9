import { useState } from "react"
import type { Role } from "../../../../worker/access/people/contract.ts"
import { ROLES } from "../../../../worker/access/people/roles.ts"
import type {
  listMembers,
  Member as MemberRecord,
  updateMember,
} from "../../../../worker/teams/members/contract.ts"
import { call, path } from "../../../api/api.ts"
import { usePages } from "../../../api/pages.ts"
import { refresh } from "../../../api/queries.ts"
import { useMay, useSession } from "../../../app/people.ts"
import { sentence } from "../../../ui/badge.tsx"
import { Confirm } from "../../../ui/dialog/dialog.tsx"
import { List } from "../../../ui/list/list.tsx"
import { menuColumn } from "../../../ui/menu/row-menu.tsx"
import { Select } from "../../../ui/menu/select.tsx"
import { Section } from "../../../ui/page.tsx"
import { Time } from "../../../ui/time/time.tsx"
import { say, sayError } from "../../../ui/toast.tsx"

type Member = Omit<MemberRecord, "createdAt"> & { createdAt: string }

const refreshMembers = () => refresh("members")

const setRole = (id: string, role: Role) =>
  call<typeof updateMember>({ method: "PATCH", path: path`/members/${id}`, body: { role } })

async function changeRole(member: Member, role: Role) {
  await setRole(member.id, role)
  say(`${member.name} is now ${role}`, () =>
    setRole(member.id, member.role).finally(refreshMembers),
  )
}

export function Members() {
  const { user } = useSession()
  const may = useMay()
  const [leaving, setLeaving] = useState<Member | null>(null)
  const members = usePages<Member>(["members"], (query) =>
    call<typeof listMembers>({ method: "GET", path: "/members", query }),
  )
  /** Only an owner may change owners, and nobody may change themselves. */
  const decidesOn = (member: Member) =>
    may.manage && member.id !== user.id && (may.own || member.role !== "owner")
  return (
    <Section
      title="Members"
      about="Owners can do everything. Admins can do everything except delete the team and manage owners. Members can read, send, and edit templates and campaigns."
    >
      <List
        {...members}
        label="Members"
        rowKey={({ id }) => id}
        empty={null}
        columns={[
          {
            head: "Name",
            width: "minmax(0, 2fr)",
            cell: (member) => <Name member={member} you={member.id === user.id} />,
          },
          { head: "Address", width: "minmax(0, 2fr)", cell: ({ email }) => email },
          {
            head: "Role",
            width: "112px",
            phone: true,
            cell: (member) =>
              decidesOn(member) ? (
                <RoleSelect member={member} own={may.own} />
              ) : (
                sentence(member.role)
              ),
          },
          { head: "Joined", width: "112px", cell: ({ createdAt }) => <Time at={createdAt} /> },
          ...(may.manage
            ? [
                menuColumn<Member>(
                  ({ name }) => name,
                  (member) => [
                    decidesOn(member) && {
                      label: "Remove member",
                      danger: true,
                      onSelect: () => setLeaving(member),
                    },
                  ],
                ),
              ]
            : []),
        ]}
      />
      <Confirm
        open={leaving !== null}
        onOpenChange={() => setLeaving(null)}
        title={`Remove ${leaving?.name}?`}
        description={`${leaving?.email} loses access to this team immediately. API keys and invitations they created stay valid until you revoke them.`}
        action="Remove member"
        onConfirm={async () => {
          if (!leaving) return
          await call({ method: "DELETE", path: path`/members/${leaving.id}` })
          await refreshMembers()
          say("Member removed")
        }}
      />
    </Section>
  )
}

const Name = ({ member, you }: { member: Member; you: boolean }) => (
  <>
    <span className="font-medium">{member.name}</span>
    {you && <span className="text-muted"> (you)</span>}
    <span className="block truncate text-xs text-muted md:hidden">{member.email}</span>
  </>
)

function RoleSelect({ member, own }: { member: Member; own: boolean }) {
  const options = ROLES.filter((role) => own || role !== "owner")
  return (
    <Select
      aria-label={`Role of ${member.name}`}
      value={member.role}
      options={options.map((role) => [role, sentence(role)] as const)}
      onChange={(role) => changeRole(member, role).catch(sayError).finally(refreshMembers)}
    />
  )
}
