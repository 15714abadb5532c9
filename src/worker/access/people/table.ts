import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core"
import { rowsOf } from "../../platform/db/rows.ts"
import { SECOND_FACTORS } from "./contract.ts"
import { ROLES } from "./roles.ts"

/** The sign-in library uses `Date` for times. */
const at = (name: string) => integer(name, { mode: "timestamp_ms" })
const createdAt = () => at("created_at").notNull()
const updatedAt = () => at("updated_at").notNull()

export const users = sqliteTable("users", {
  id: text().primaryKey(),
  name: text().notNull(),
  email: text().notNull().unique(),
  emailVerified: integer("email_verified", { mode: "boolean" }).notNull().default(false),
  image: text(),
  twoFactorEnabled: integer("two_factor_enabled", { mode: "boolean" }).notNull().default(false),
  createdAt: createdAt(),
  updatedAt: updatedAt(),
})

export const accounts = sqliteTable(
  "accounts",
  {
    userId: text("user_id").notNull(),
    providerId: text("provider_id").notNull(),
    id: text().notNull(),
    accountId: text("account_id").notNull(),
    password: text(),
    accessToken: text("access_token"),
    refreshToken: text("refresh_token"),
    idToken: text("id_token"),
    accessTokenExpiresAt: at("access_token_expires_at"),
    refreshTokenExpiresAt: at("refresh_token_expires_at"),
    scope: text(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [primaryKey({ columns: [table.userId, table.providerId] })],
)

export const sessions = sqliteTable(
  "sessions",
  {
    token: text().primaryKey(),
    id: text().notNull(),
    userId: text("user_id").notNull(),
    expiresAt: at("expires_at").notNull(),
    ipAddress: text("ip_address"),
    userAgent: text("user_agent"),
    /** How the person proved more than a password. Null: not at all. */
    secondFactor: text("second_factor", { enum: SECOND_FACTORS }),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [index("sessions_user").on(table.userId)],
)

export const verifications = sqliteTable(
  "verifications",
  {
    id: text().primaryKey(),
    identifier: text().notNull(),
    value: text().notNull(),
    expiresAt: at("expires_at").notNull(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [index("verifications_identifier").on(table.identifier)],
)

export const passkeys = sqliteTable(
  "passkeys",
  {
    credentialID: text("credential_id").primaryKey(),
    id: text().notNull(),
    userId: text("user_id").notNull(),
    name: text(),
    publicKey: text("public_key").notNull(),
    counter: integer().notNull(),
    deviceType: text("device_type").notNull(),
    backedUp: integer("backed_up", { mode: "boolean" }).notNull(),
    transports: text(),
    aaguid: text(),
    createdAt: createdAt(),
  },
  (table) => [index("passkeys_user").on(table.userId)],
)

/** An authenticator app and its recovery codes. It counts once a code has confirmed it. */
export const secondFactors = sqliteTable(
  "second_factors",
  {
    id: text().primaryKey(),
    userId: text("user_id").notNull(),
    secret: text().notNull(),
    backupCodes: text("backup_codes").notNull(),
    verified: integer({ mode: "boolean" }).notNull().default(false),
    failedVerificationCount: integer("failed_verification_count").notNull().default(0),
    lockedUntil: at("locked_until"),
  },
  (table) => [uniqueIndex("second_factors_user").on(table.userId)],
)

/** At most one row: how far they are encrypted with the first key. */
export const factorRotations = sqliteTable("factor_rotations", {
  id: integer().primaryKey(),
  requestedAt: integer("requested_at").notNull(),
  secondFactorId: text("second_factor_id").notNull().default(""),
})

export const passwordResets = sqliteTable("password_resets", {
  tokenHash: text("token_hash").primaryKey(),
  userId: text("user_id").notNull(),
  expiresAt: integer("expires_at").notNull(),
})

/** The code that the deployment printed. There is one row at most. */
export const claimCodes = sqliteTable("claim_codes", {
  id: text().primaryKey(),
  codeHash: text("code_hash").notNull(),
  expiresAt: integer("expires_at").notNull(),
})

export const invitations = sqliteTable(
  "invitations",
  {
    teamId: text("team_id").notNull(),
    id: text().notNull(),
    email: text().notNull(),
    role: text({ enum: ROLES }).notNull(),
    invitedBy: text("invited_by"),
    /** Opening the mailed link proves that the person reads the mail of the address. */
    mailedHash: text("mailed_hash").notNull(),
    copiedHash: text("copied_hash").notNull(),
    createdAt: integer("created_at").notNull(),
    expiresAt: integer("expires_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.teamId, table.id] }),
    uniqueIndex("invitations_address").on(table.email, table.teamId),
    uniqueIndex("invitations_mailed").on(table.mailedHash),
    uniqueIndex("invitations_copied").on(table.copiedHash),
  ],
)

export const members = sqliteTable(
  "members",
  {
    userId: text("user_id").notNull(),
    teamId: text("team_id").notNull(),
    role: text({ enum: ROLES }).notNull(),
    createdAt: integer("created_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.userId, table.teamId] }),
    index("members_team").on(table.teamId, table.userId),
  ],
)

export const signInAddresses = sqliteTable(
  "sign_in_addresses",
  {
    userId: text("user_id").notNull(),
    network: text().notNull(),
    signedInAt: integer("signed_in_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.userId, table.network] }),
    index("sign_in_addresses_old").on(table.signedInAt),
  ],
)

export const signInAttempts = sqliteTable("sign_in_attempts", {
  subject: text().primaryKey(),
  attempts: integer().notNull(),
  since: integer().notNull(),
})

const NOT_BACKED_UP = { isLeftOutOfBackups: true }

/** After a restore, people sign in again and need new links. */
export const rows = [
  ...[users, accounts, passkeys, secondFactors, signInAddresses, signInAttempts].map((table) =>
    rowsOf("person", table),
  ),
  ...[sessions, verifications, passwordResets].map((table) =>
    rowsOf("person", table, NOT_BACKED_UP),
  ),
  ...[factorRotations, claimCodes].map((table) => rowsOf("installation", table)),
  rowsOf("directory", members),
  rowsOf("directory", invitations, NOT_BACKED_UP),
]
