import { useQuery } from "@tanstack/react-query"
import { Controller, type UseFormReturn } from "react-hook-form"
import type { Contact, UpdateContactInput } from "../../../../client/types.ts"
import { pick } from "../../../../lib/pick.ts"
import { createContact } from "../../../../worker/contacts/contract.ts"
import { api } from "../../../api/api.ts"
import { useMay } from "../../../app/people.ts"
import { changesIn, requestBody, saveChanges, withChanges } from "../../../ui/changes.ts"
import { Dialog } from "../../../ui/dialog/dialog.tsx"
import { Switch, TextField } from "../../../ui/form/field.tsx"
import { Form, fieldOf, useSchemaForm } from "../../../ui/form/form.tsx"
import { requestOf } from "../../../ui/request/request-of.ts"
import { say } from "../../../ui/toast.tsx"
import { Loaded } from "../../../ui/waiting.tsx"
import { refreshContacts } from "../data.ts"
import { ConsentHistory } from "./consent-history.tsx"
import { ContactActivity } from "./contact-activity.tsx"
import { ContactFacts } from "./contact-facts.tsx"
import { PropertiesField } from "./properties-field.tsx"
import { RemoveContact } from "./remove-contact.tsx"
import { choiceChanges, TopicsField } from "./topics-field.tsx"

interface Props {
  bookId: string
  /** Without an id, a contact is added. */
  id?: string
  onClose(): void
}

export default function ContactDialog({ bookId, id, onClose }: Props) {
  const query = useQuery({
    queryKey: ["contacts", "one", bookId, id],
    queryFn: () => api.contacts.get(bookId, id ?? ""),
    enabled: id !== undefined,
    staleTime: 0,
    refetchOnWindowFocus: false,
  })
  const title = id === undefined ? "Add contact" : (query.data?.email ?? "Contact")
  return (
    <Dialog open wide onOpenChange={onClose} title={title}>
      {id === undefined ? (
        <ContactForm bookId={bookId} contact={null} onClose={onClose} />
      ) : (
        <Loaded query={query}>
          {(contact) => <ContactForm bookId={bookId} contact={contact} onClose={onClose} />}
        </Loaded>
      )}
    </Dialog>
  )
}

type Input = Pick<
  Contact,
  "email" | "firstName" | "lastName" | "properties" | "subscribed" | "topics"
>

const EMPTY: Input = {
  email: "",
  firstName: null,
  lastName: null,
  properties: {},
  subscribed: true,
  topics: {},
}

const NAMES = Object.keys(EMPTY) as (keyof Input)[]

function ContactForm({
  bookId,
  contact,
  onClose,
}: {
  bookId: string
  contact: Contact | null
  onClose(): void
}) {
  const may = useMay()
  const form = useSchemaForm<Input>(createContact.json, contact ? pick(contact, NAMES) : EMPTY)
  const { errors } = form.formState
  const shown = form.watch()
  const json = contact ? requestBody<UpdateContactInput>(changesOf(form, shown), shown) : shown
  const base = `/contact-books/${bookId}/contacts`
  if (!may.manage) {
    return (
      contact && (
        <div className="grid gap-4">
          <ContactFacts contact={contact} />
          <ContactActivity contact={contact} />
          <ConsentHistory contact={contact} />
        </div>
      )
    )
  }
  return (
    <Form
      guard
      form={form}
      submit={contact ? "Save" : "Add contact"}
      beside={contact && <RemoveContact contact={contact} onRemoved={onClose} />}
      request={
        contact
          ? requestOf("PATCH", `${base}/${contact.id}`, "contacts.update", bookId, contact.id, json)
          : requestOf("POST", base, "contacts.create", bookId, json)
      }
      onSubmit={async (values) => {
        if (!contact) await api.contacts.create(bookId, values)
        else {
          await saveChanges(contact, changesOf(form, values), async (changes) =>
            api.contacts.update(bookId, contact.id, {
              ...changes,
              ...(changes.properties && { properties: await mergeProperties(form, contact) }),
            }),
          )
        }
        refreshContacts()
        say(contact ? "Contact saved" : "Contact added")
        onClose()
      }}
    >
      {contact && <ContactFacts contact={contact} />}
      <TextField label="Address" type="email" {...fieldOf(form, "email")} autoFocus={!contact} />
      <div className="grid gap-4 sm:grid-cols-2">
        {(["firstName", "lastName"] as const).map((name) => (
          <TextField
            key={name}
            label={name === "firstName" ? "First name" : "Last name"}
            optional
            {...fieldOf(form, name, { setValueAs: (text) => text || null })}
          />
        ))}
      </div>
      <Controller
        control={form.control}
        name="properties"
        render={({ field, fieldState }) => (
          <PropertiesField
            value={field.value}
            onChange={field.onChange}
            error={
              fieldState.error?.message ??
              (errors.properties && "Property values must be text, numbers or yes/no")
            }
          />
        )}
      />
      <Controller
        control={form.control}
        name="subscribed"
        render={({ field }) => (
          <Switch
            label="Subscribed"
            checked={field.value}
            onChange={field.onChange}
            hint={consequence(contact, field.value)}
          />
        )}
      />
      <Controller
        control={form.control}
        name="topics"
        render={({ field }) => <TopicsField value={field.value} onChange={field.onChange} />}
      />
      {contact && <ContactActivity contact={contact} />}
      {contact && <ConsentHistory contact={contact} />}
    </Form>
  )
}

function consequence(contact: Contact | null, subscribed: boolean): string {
  if (!contact || contact.subscribed === subscribed) {
    return subscribed
      ? "Receives campaigns to this book."
      : "Does not receive campaigns to this book."
  }
  if (!subscribed) {
    return "No longer receives campaigns to this book. Other email, such as receipts, is still sent."
  }
  const by = contact.unsubscribeReason ? ` (${contact.unsubscribeReason})` : ""
  return `This person unsubscribed${by}. Subscribe them again only if they asked for it.`
}

/** The API replaces them all, and somebody else may have changed others since the form was opened. */
async function mergeProperties(form: UseFormReturn<Input>, { id, bookId }: Contact) {
  const { properties: now } = await api.contacts.get(bookId, id)
  const before = form.formState.defaultValues?.properties as Input["properties"]
  return withChanges(now, before, form.getValues("properties"))
}

function changesOf(form: UseFormReturn<Input>, values: Input): UpdateContactInput {
  const { topics, ...changes } = changesIn(form, values)
  const before = form.formState.defaultValues?.topics as Input["topics"]
  return { ...changes, ...(topics && { topics: choiceChanges(before, topics) }) }
}
