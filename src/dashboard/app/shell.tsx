import { Link, Outlet, useNavigate } from "@tanstack/react-router"
import { Check, ChevronsUpDown, Menu as MenuIcon, Search, X } from "lucide-react"
import { lazy, Suspense, useEffect, useMemo, useState } from "react"
import { callAuth } from "../api/api.ts"
import { followTeam, useLiveState } from "../api/live.ts"
import { queries } from "../api/queries.ts"
import { chosenTeam } from "../api/session.ts"
import { buttonClass, IconButton } from "../ui/button.tsx"
import { cx } from "../ui/cx.ts"
import { HintLayer } from "../ui/hint-layer.tsx"
import { Mark } from "../ui/mark.tsx"
import { Menu } from "../ui/menu.tsx"
import { sayError, Toasts } from "../ui/toast.tsx"
import { useCharacterKeys, useShortcuts } from "./keyboard.ts"
import { PAGES } from "./pages.ts"
import { useMay, useSession } from "./people.ts"
import { chooseTheme, chosenTheme, THEMES } from "./theme.ts"

const Palette = lazy(() => import("./palette.tsx"))
const Shortcuts = lazy(() => import("./shortcuts.tsx"))

export function Shell() {
  const [palette, setPalette] = useState(false)
  const [help, setHelp] = useState(false)
  const [menu, setMenu] = useState(false)
  const navigate = useNavigate()
  const { team } = useSession()

  // biome-ignore lint/correctness/useExhaustiveDependencies: each team has a stream of its own
  useEffect(() => followTeam(signInAgain), [team.id])

  useShortcuts(
    useMemo(
      () => [
        ...PAGES.flat().map(({ to, label, key }) => ({
          keys: `g ${key}`,
          label,
          run: () => void navigate({ to }),
        })),
        { keys: "?", label: "Show all shortcuts", run: () => setHelp(true) },
        { keys: "/", label: "Search", run: () => setPalette(true) },
      ],
      [navigate],
    ),
  )
  useEffect(() => {
    const open = (event: KeyboardEvent) => {
      if (event.key !== "k" || !(event.ctrlKey || event.metaKey)) return
      event.preventDefault()
      setPalette(true)
    }
    addEventListener("keydown", open)
    return () => removeEventListener("keydown", open)
  }, [])

  return (
    <>
      <a
        href="#main"
        className={cx(buttonClass("primary"), "fixed top-2 left-2 z-50 not-focus:sr-only")}
      >
        Skip to content
      </a>
      <div className="flex min-h-dvh flex-col md:flex-row">
        <header className="sticky top-0 z-30 flex h-12 items-center justify-between gap-2 border-b bg-ground px-2 md:hidden">
          <IconButton
            label={menu ? "Close menu" : "Open menu"}
            aria-expanded={menu}
            onClick={() => setMenu(!menu)}
          >
            {menu ? <X size={18} aria-hidden /> : <MenuIcon size={18} aria-hidden />}
          </IconButton>
          <span className="flex min-w-0 items-center gap-2 font-semibold">
            <Mark size={20} />
            <span className="truncate">{team.name}</span>
          </span>
          <IconButton label="Search" onClick={() => setPalette(true)}>
            <Search size={18} aria-hidden />
          </IconButton>
        </header>
        <Sidebar
          shown={menu}
          onSearch={() => setPalette(true)}
          onHelp={() => setHelp(true)}
          onLeave={() => setMenu(false)}
        />
        <div className="min-w-0 flex-1">
          <Lost />
          <main id="main" tabIndex={-1} className="outline-none">
            <Outlet />
          </main>
        </div>
      </div>
      <Suspense>
        {palette && <Palette open onOpenChange={setPalette} onHelp={() => setHelp(true)} />}
        {help && <Shortcuts open onOpenChange={setHelp} />}
      </Suspense>
      <Toasts />
      <HintLayer />
    </>
  )
}

function signInAgain() {
  const next = location.pathname + location.search
  location.assign(`/dashboard/sign-in?next=${encodeURIComponent(next)}`)
}

function Sidebar({
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
  const characterKeys = useCharacterKeys()
  return (
    <aside
      aria-label="Menu"
      className={cx(
        "z-20 flex-col gap-4 bg-ground p-3 max-md:fixed max-md:inset-0 max-md:top-12 max-md:overflow-y-auto",
        "md:sticky md:top-0 md:flex md:h-dvh md:w-56 md:shrink-0 md:overflow-y-auto md:border-r",
        shown ? "flex" : "hidden",
      )}
    >
      <Link to="/" className="flex h-8 items-center gap-2 px-2 font-semibold max-md:hidden">
        <Mark size={24} /> Edgepost
      </Link>
      <TeamMenu />
      <button
        type="button"
        onClick={onSearch}
        className="hidden h-8 items-center gap-2 rounded-md border bg-raised px-2 text-muted md:flex"
      >
        <Search size={14} aria-hidden /> Search
        <kbd className="ml-auto font-mono text-xs">{characterKeys ? "/" : "Ctrl K"}</kbd>
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
  const choose = (id: string) => {
    chosenTeam.set(id)
    location.assign("/dashboard")
  }
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
          onSelect: () => choose(id),
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
  const signOut = async () => {
    await callAuth({ method: "POST", path: "/sign-out", body: {} })
    queries.clear()
    chosenTeam.forget()
    location.assign("/dashboard/sign-in")
  }
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

/** Says when the page may be old. */
function Lost() {
  const state = useLiveState()
  if (state !== "lost") return null
  return (
    <div
      role="status"
      className="sticky top-12 z-10 border-b bg-raised px-4 py-2 text-delayed sm:px-8 md:top-0"
    >
      The live connection is lost. Trying again; what changed meanwhile follows.
    </div>
  )
}
