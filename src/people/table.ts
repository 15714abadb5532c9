import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core"
import { ROLES } from "./contract.ts"

/** The library of users and sessions uses dates. */
const at = (name: string) => integer(name, { mode: "timestamp_ms" })
const createdAt = () => at("created_at").notNull()
const updatedAt = () => at("updated_at").notNull()

export const users = sqliteTable("users", {
  id: text().primaryKey(),
  name: text().notNull(),
  email: text().notNull().unique(),
  emailVerified: integer("email_verified", { mode: "boolean" }).notNull().default(false),
  image: text(),
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

export const sessions = sqliteTable("sessions", {
  token: text().primaryKey(),
  id: text().notNull(),
  userId: text("user_id").notNull(),
  expiresAt: at("expires_at").notNull(),
  ipAddress: text("ip_address"),
  userAgent: text("user_agent"),
  createdAt: createdAt(),
  updatedAt: updatedAt(),
})

export const verifications = sqliteTable("verifications", {
  id: text().primaryKey(),
  identifier: text().notNull(),
  value: text().notNull(),
  expiresAt: at("expires_at").notNull(),
  createdAt: createdAt(),
  updatedAt: updatedAt(),
})

export const members = sqliteTable(
  "members",
  {
    userId: text("user_id").notNull(),
    teamId: text("team_id").notNull(),
    role: text({ enum: ROLES }).notNull(),
    createdAt: integer("created_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.userId, table.teamId] })],
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
