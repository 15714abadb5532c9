import { Outlet, useNavigate, useRouterState } from "@tanstack/react-router"
import { Menu as MenuIcon, Search, X } from "lucide-react"
import { Suspense, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react"
import { followTeam } from "../api/live.ts"
import { sessionEnded } from "../api/session.ts"
import { buttonClass, IconButton } from "../ui/button.tsx"
import { cx } from "../ui/cx.ts"
import { HintLayer } from "../ui/hint-layer.tsx"
import { Logo } from "../ui/logo.tsx"
import { Toasts } from "../ui/toast.tsx"
import { Connection } from "./connection.tsx"
import { useShortcuts } from "./keyboard.ts"
import { lazy } from "./lazy.ts"
import { sendLeftReplies } from "./left-replies.ts"
import { LOADING_DIALOG } from "./loading-dialog.tsx"
import { PAGES } from "./pages.ts"
import { PaletteAhead } from "./palette/palette-ahead.tsx"
import { useSession } from "./people.ts"
import { Sidebar } from "./sidebar.tsx"

const Shortcuts = lazy(() => import("./shortcuts.tsx"))

export function Shell() {
  const [palette, setPalette] = useState(false)
  const [help, setHelp] = useState(false)
  const [menu, setMenu] = useState(false)
  const navigate = useNavigate()
  const { team } = useSession()

  const hasEnded = sessionEnded.use()
  const menuButton = useRef<HTMLButtonElement>(null)
  const pathname = useRouterState({ select: ({ resolvedLocation }) => resolvedLocation?.pathname })
  // biome-ignore lint/correctness/useExhaustiveDependencies: the menu covers a page that is new
  useEffect(() => setMenu(false), [pathname])

  // biome-ignore lint/correctness/useExhaustiveDependencies: each team and session has its own stream
  useEffect(() => (hasEnded ? undefined : followTeam()), [team.id, hasEnded])

  useEffect(() => void sendLeftReplies(), [])

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
  useLayoutEffect(() => {
    const open = (event: KeyboardEvent) => {
      if (event.key === "Escape" && menuButton.current?.ariaExpanded === "true") {
        setMenu(false)
        menuButton.current.focus()
      }
      if (event.key !== "k" || !(event.ctrlKey || event.metaKey)) return
      event.preventDefault()
      if (!document.querySelector("[role=dialog], [role=alertdialog]")) setPalette(true)
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
            ref={menuButton}
            aria-expanded={menu}
            onClick={() => setMenu(!menu)}
          >
            {menu ? <X size={18} aria-hidden /> : <MenuIcon size={18} aria-hidden />}
          </IconButton>
          <span className="flex min-w-0 items-center gap-2 font-semibold">
            <Logo size={20} />
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
          <Connection />
          <Main pathname={pathname} />
        </div>
      </div>
      {palette && <PaletteAhead onClose={() => setPalette(false)} onHelp={() => setHelp(true)} />}
      <Suspense fallback={LOADING_DIALOG}>
        {help && <Shortcuts open onOpenChange={setHelp} />}
      </Suspense>
      <Toasts />
      <HintLayer />
    </>
  )
}

/** Takes the focus if the element that had it went away with the page before. */
function Main({ pathname }: { pathname: string | undefined }) {
  const main = useRef<HTMLElement>(null)
  const shown = useRef(pathname)
  useEffect(() => {
    if (shown.current === pathname) return
    shown.current = pathname
    if (document.activeElement === document.body) main.current?.focus({ preventScroll: true })
  }, [pathname])
  return (
    <main id="main" ref={main} tabIndex={-1} className="outline-none">
      <Outlet />
    </main>
  )
}
