import {
  AtSign,
  Ban,
  ChartColumn,
  ClipboardList,
  Contact,
  FileText,
  Filter,
  Globe,
  House,
  Inbox,
  KeyRound,
  LayoutTemplate,
  type LucideIcon,
  Mail,
  Megaphone,
  MessagesSquare,
  ScrollText,
  Settings,
  ShieldX,
  Tags,
  Users,
  Webhook,
  Workflow,
} from "lucide-react"

interface PageLink {
  to: string
  label: string
  icon: LucideIcon
  /** `g` and then this letter goes there. */
  key: string
  /** Only for owners and admins. */
  manage?: boolean
}

/** The pages in the order of the navigation, group by group. */
export const PAGES: readonly (readonly PageLink[])[] = [
  [
    { to: "/", label: "Overview", icon: House, key: "o" },
    { to: "/emails", label: "Emails", icon: Mail, key: "e" },
    { to: "/threads", label: "Inbox", icon: MessagesSquare, key: "u" },
    { to: "/metrics", label: "Metrics", icon: ChartColumn, key: "r" },
    { to: "/inbox", label: "Test inbox", icon: Inbox, key: "i" },
    { to: "/suppressions", label: "Suppressions", icon: Ban, key: "s" },
  ],
  [
    { to: "/campaigns", label: "Campaigns", icon: Megaphone, key: "c" },
    { to: "/sequences", label: "Sequences", icon: Workflow, key: "q" },
    { to: "/contacts", label: "Contacts", icon: Contact, key: "b" },
    { to: "/forms", label: "Forms", icon: ClipboardList, key: "f" },
    { to: "/segments", label: "Segments", icon: Filter, key: "n" },
    { to: "/topics", label: "Topics", icon: Tags, key: "p" },
    { to: "/templates", label: "Templates", icon: FileText, key: "t" },
    { to: "/layouts", label: "Layouts", icon: LayoutTemplate, key: "l" },
  ],
  [
    { to: "/domains", label: "Domains", icon: Globe, key: "d" },
    { to: "/api-keys", label: "API keys", icon: KeyRound, key: "k" },
    { to: "/refused-calls", label: "Refused calls", icon: ShieldX, key: "x" },
    { to: "/webhooks", label: "Webhooks", icon: Webhook, key: "w", manage: true },
  ],
  [
    { to: "/team", label: "Team", icon: Users, key: "m" },
    { to: "/audit-log", label: "Audit log", icon: ScrollText, key: "a", manage: true },
    { to: "/settings", label: "Settings", icon: Settings, key: "," },
    { to: "/account", label: "Your account", icon: AtSign, key: "y" },
  ],
]
