import { Link, useNavigate } from "@tanstack/react-router"
import { Check, ChevronsUpDown, Search } from "lucide-react"
import { useState } from "react"
import { chosenTeam } from "../api/session.ts"
import { cx } from "../ui/cx.ts"
import { Logo } from "../ui/logo.tsx"
import { Menu } from "../ui/menu/menu.tsx"
import { sayError } from "../ui/toast.tsx"
import { characterKeys } from "./keyboard.ts"
import { PAGES } from "./pages.ts"
import { useMay, useSession } from "./people.ts"
import { signOut } from "./sign-out.ts"
import { chooseTheme, chosenTheme, THEMES } from "./theme.ts"

export function Sidebar({
  shown,
  onSearch,
  onHelp,
  onLeave,
}: {
  shown: boolean
  onSearch(): void
  onHelp(): void
  onLeave(): void
}) {
  const may = useMay()
  const hasCharacterKeys = characterKeys.use()
  return (
    <aside
      aria-label="Menu"
      className={cx(
        "z-30 flex-col gap-4 bg-ground p-3 max-md:fixed max-md:inset-0 max-md:top-12 max-md:overflow-y-auto",
        "md:sticky md:top-0 md:flex md:h-dvh md:w-56 md:shrink-0 md:overflow-y-auto md:border-r",
        shown ? "flex" : "hidden",
      )}
    >
      <Link
        to="/"
        className="flex h-8 shrink-0 items-center gap-2 px-2 font-semibold max-md:hidden"
      >
        <Logo size={24} /> Edgepost
      </Link>
      <TeamMenu />
      <button
        type="button"
        onClick={onSearch}
        className="hidden h-8 shrink-0 items-center gap-2 rounded-md border bg-raised px-2 text-muted md:flex"
      >
        <Search size={14} aria-hidden /> Search
        <kbd className="ml-auto font-mono text-xs">{hasCharacterKeys ? "/" : "Ctrl K"}</kbd>
      </button>
      <nav aria-label="Pages" className="grid gap-4">
        {PAGES.map((group) => (
          <ul key={group[0]?.to} className="grid gap-0.5">
            {group
              .filter(({ manage }) => !manage || may.manage)
              .map(({ to, label, icon: Icon }) => (
                <li key={to}>
                  <Link
                    to={to}
                    onClick={onLeave}
                    activeOptions={{ exact: to === "/", includeSearch: false }}
                    activeProps={{ className: "bg-sunken text-ink", "aria-current": "page" }}
                    inactiveProps={{ className: "text-muted hover:text-ink" }}
                    className="flex h-8 items-center gap-2 rounded-md px-2"
                  >
                    <Icon size={16} aria-hidden /> {label}
                  </Link>
                </li>
              ))}
          </ul>
        ))}
      </nav>
      <div className="mt-auto grid gap-1 text-muted">
        <a href="/docs" className="flex h-8 items-center rounded-md px-2 hover:text-ink">
          API reference
        </a>
        <PersonMenu onHelp={onHelp} />
      </div>
    </aside>
  )
}

const MENU_BUTTON =
  "flex h-10 w-full items-center justify-between gap-2 rounded-md px-2 text-left hover:bg-sunken"

function TeamMenu() {
  const { team, teams } = useSession()
  const { own } = useMay()
  const navigate = useNavigate()
  return (
    <Menu
      trigger={
        <button type="button" className={MENU_BUTTON}>
          <span className="truncate font-semibold">{team.name}</span>
          <ChevronsUpDown size={14} aria-hidden className="shrink-0 text-muted" />
        </button>
      }
      items={[
        ...teams.map(({ id, name }) => ({
          label: (
            <>
              <Check size={14} aria-hidden className={id === team.id ? "" : "invisible"} />
              <span className="max-w-64 truncate">{name}</span>
            </>
          ),
          onSelect: () => chosenTeam.open(id),
        })),
        own && {
          label: <span className="pl-5.5">Create another team</span>,
          onSelect: () => void navigate({ href: "/dashboard/team?create=true" }),
        },
      ]}
    />
  )
}

function PersonMenu({ onHelp }: { onHelp(): void }) {
  const { user } = useSession()
  const [theme, setTheme] = useState(chosenTheme())
  return (
    <Menu
      trigger={
        <button type="button" className={MENU_BUTTON}>
          <span className="truncate">{user.name || user.email}</span>
          <ChevronsUpDown size={14} aria-hidden className="shrink-0" />
        </button>
      }
      items={[
        ...THEMES.map((name) => ({
          label: (
            <>
              <Check size={14} aria-hidden className={name === theme ? "" : "invisible"} />
              {name} theme
            </>
          ),
          onSelect: () => {
            chooseTheme(name)
            setTheme(name)
          },
        })),
        { label: <span className="pl-5.5">Keyboard shortcuts</span>, onSelect: onHelp },
        {
          label: <span className="pl-5.5">Sign out</span>,
          onSelect: () => void signOut().catch(sayError),
        },
      ]}
    />
  )
}
