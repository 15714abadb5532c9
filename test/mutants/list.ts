import { inFile, underFaults } from "./mutate.ts"

/** Each defect: its name, a text of the file, and what stands there instead. */
export const MUTANTS = [
  ...inFile(
    "src/worker/emails/sending/claim.sql.ts",
    [
      "worker/emails/sending/dispatch",
      "worker/emails/sending/faults",
      "worker/campaigns/sending",
      "worker/emails/sending/provider-pause",
    ],
    {
      "the hours until an email fails begin anew with each claim": [
        "coalesce(${emails.dueAt}, max(${emails.createdAt}, ${placeholder.now}))",
        "max(${emails.createdAt}, ${placeholder.now})",
      ],
      "a claim sets no lease": [
        "notBefore: sql`${placeholder.lease}`",
        "notBefore: sql`${placeholder.now}`",
      ],
      "a claim counts no attempt": [
        "attempts: sql`${emails.attempts} + 1`",
        "attempts: sql`${emails.attempts}`",
      ],
      "a campaign batch keeps the emails of a claim": [
        "takeFromBatch: isBulk ? takeFromBatch({ db }) : [],",
        "takeFromBatch: [],",
      ],
    },
  ),
  ...inFile(
    "src/worker/emails/sending/attempt.ts",
    [
      "worker/emails/sending/dispatch",
      "worker/teams/deletion/team",
      "worker/emails/sending/faults",
      "worker/emails/sending/rate-limit",
      "worker/emails/sending/provider-pause",
      "worker/emails/skip-suppressed",
    ],
    {
      "an open does not settle a lost answer": [
        "if (email.unanswered > 1 && email.eventTypes & HITS) return settled(email)",
        "",
      ],
      "suppressions are not read at send time": [
        '  if (isBlocked(claimed)) return cancelled("suppressed_recipient", claimed.blocked)\n',
        "",
      ],
      "a skipped recipient is mailed": [
        "toMessage(email, content, skipped, returnPath)",
        "toMessage(email, content, [], returnPath)",
      ],
      "mail of a lost domain goes out": ["if (claimed.isOfLostDomain)", "if (false as boolean)"],
      "mail of a deleted team goes out": [
        "if (claimed.isOfDeletedTeam) return",
        "if (false as boolean) return",
      ],
      "a send starts after its deadline": [
        "const isOver = () => work.now() > deadline",
        "const isOver = () => work.now() > deadline + 600_000",
      ],
      "retries never end": [
        "const delayMs = RETRY_DELAYS_MS[attempts - 1]",
        "const delayMs = RETRY_DELAYS_MS[attempts - 1] ?? 480_000",
      ],
      "waiting mail never gives up": [
        "ageOf(work, email) > giveUpAfterMs(work)",
        "ageOf(work, email) > 10 * giveUpAfterMs(work)",
      ],
    },
  ),
  ...inFile(
    "src/worker/emails/sending/postpone.sql.ts",
    [
      "worker/emails/sending/provider-pause",
      "worker/emails/sending/faults",
      "worker/emails/sending/dispatch",
    ],
    {
      "a postponement ignores the claim": [
        "and ${emails.claimedBy} = ${x.claim} and ${emails.notBefore} = ${x.lease}`),",
        "`),",
      ],
    },
  ),
  ...inFile(
    "src/worker/emails/sending/send-claimed.ts",
    [
      "worker/emails/sending/provider-pause",
      "worker/emails/sending/faults",
      "worker/emails/sending/dispatch",
    ],
    {
      "a fault of the provider counts as an attempt": [
        'attempts: email.attempts - Number(kind !== "retry")',
        'attempts: email.attempts - Number(kind === "released")',
      ],
      "an unanswered send gives up its lease": [
        "notBefore: isUnanswered\n      ? email.notBefore\n      : work.now()",
        "notBefore: isUnanswered\n      ? work.now()\n      : work.now()",
      ],
      "a failed record is not repeated": [
        "await repeat(RECORD_WAITS_MS, () =>",
        "await repeat([], () =>",
      ],
      "large emails are sent together": ["...large.map((one) => [one])]", "large]"],
      "a provider fault does not pause the provider": [
        'return attempted.some(isFaultOfProvider) ? "paused" : null',
        "return null",
      ],
      "an answered probe does not end the pause": [
        "isProbe ? [endPause(work, claim.id)] : []",
        "[]",
      ],
    },
  ),
  ...inFile(
    "src/worker/emails/sending/release-claim.ts",
    ["worker/emails/sending/faults", "worker/emails/sending/dispatch"],
    {
      "a released claim keeps its lease": ["notBefore: work.now(),", "notBefore: lease,"],
      "a released claim frees the emails of others": [
        "where ${emails.claimedBy} = ${claim} and ",
        "where ",
      ],
    },
  ),
  ...inFile(
    "src/worker/emails/sending/choose.ts",
    [
      "worker/emails/sending/turns-of-teams",
      "worker/campaigns/sending",
      "worker/emails/sending/faults",
      "worker/emails/sending/dispatch",
    ],
    {
      "one team takes the whole backlog": [
        "${poolOf(PRIORITIES.transactional, evenShare(room))}",
        "${poolOf(PRIORITIES.transactional, room)}",
      ],
      "campaigns always begin with the first batch": [
        "where (${teamId}, ${campaignId}) > (${last(0)}, ${last(1)}) ${first})",
        "${first})",
      ],
      "a suspicious email is claimed with others": [
        "${ordered.number} = 1, ${ordered.unanswered} = 0)",
        "1, 1)",
      ],
    },
  ),
  ...inFile(
    "src/worker/emails/sending/pacing/rate-limit.ts",
    ["worker/emails/sending/rate-limit"],
    {
      "the rate limit counts half": [
        "const asked = askedAt(1000 / rate)\n    const lease",
        "const asked = askedAt(500 / rate)\n    const lease",
      ],
    },
  ),
  ...inFile(
    "src/worker/emails/sending/sweep-emails.ts",
    [
      "worker/campaigns/sending",
      "worker/emails/sending/dispatch",
      "worker/emails/sending/faults",
      "worker/emails/sending/turns-of-teams",
      "worker/emails/sending/provider-pause",
    ],
    {
      "the sweep looks at transactional mail alone": [
        "    bulk: selectDue(work, PRIORITIES.bulk),",
        "    bulk: selectDue(work, PRIORITIES.transactional),",
      ],
      "a lease from a fast clock stands": [
        "${now + LONGEST_WAIT_MS}",
        "${now + 1000 * LONGEST_WAIT_MS}",
      ],
    },
  ),
  ...inFile(
    "src/worker/emails/outcomes/record.sql.ts",
    [
      "worker/emails/recording",
      "worker/emails/sending/dispatch",
      "worker/emails/sending/faults",
      "worker/emails/accept",
      "worker/emails/reading",
    ],
    {
      "an event is recorded twice": [
        "where ${condition} and ${isLatest} and not ${isKnown}`)}",
        "where ${condition} and ${isLatest}`)}",
      ],
      "sent is recorded twice": [
        "and ${x.type} in ('sent', 'cancelled', 'suppressed')",
        "and ${x.type} in ('cancelled', 'suppressed')",
      ],
      "an outcome of an earlier attempt counts": [
        "coalesce(${x.attempt} = ${emails.attempts}, 1)",
        "1",
      ],
      "a cancel wins over a claim": [
        "and coalesce(not ${x.unlessClaimed} or ${inArray(emails.status, UNCLAIMED)}, 1)",
        "",
      ],
    },
  ),
  ...inFile(
    "src/worker/emails/outcomes/move-status.ts",
    ["worker/emails/recording", "worker/emails/sending/dispatch"],
    {
      "a late event moves the status back": [
        "iif(${summary.rank} > ${currentRank}, ${summary.status}",
        "iif(${summary.rank} >= 0, ${summary.status}",
      ],
      "a sent email stays due": [
        "iif(${summary.rank} >= ${STATUS_RANK.sent}, null, ${emails.dueAt})",
        "${emails.dueAt}",
      ],
    },
  ),
  ...inFile(
    "src/worker/emails/outcomes/suppress.ts",
    ["worker/emails/sending/dispatch", "worker/suppressions/suppressions"],
    {
      "a soft bounce suppresses": [
        'type === "bounced" && data.bounceType === "Permanent"',
        'type === "bounced"',
      ],
      "a complaint does not suppress": [
        'type === "complained" && data.complaintFeedbackType !== "not-spam"',
        "(false as boolean)",
      ],
    },
  ),
  ...inFile(
    "src/worker/emails/outcomes/erased-recipients.ts",
    ["worker/erasure/erasure", "worker/erasure/traces"],
    {
      "a late report names an erased person": [
        "when not instr(${emails.recipients}, ${ERASED_HOST}) then ${x.data}",
        "when 1 then ${x.data}",
      ],
    },
  ),
  ...inFile(
    "src/worker/emails/outcomes/daily-limit.ts",
    ["worker/emails/tracking/tracking", "worker/emails/recording"],
    {
      "opens are recorded without end": [
        "preceding_hits < ${MAX_HITS_A_DAY}",
        "preceding_hits < 100 * ${MAX_HITS_A_DAY}",
      ],
    },
  ),
  ...inFile("src/worker/stats/counters.ts", ["worker/emails/recording", "worker/stats/stats"], {
    "an email counts once an event": ["where not ${f.event_types} & ${f.bit} and not", "where not"],
  }),
  ...inFile(
    "src/worker/emails/accept/verdict.ts",
    ["worker/emails/accept", "worker/domains/domains", "worker/suppressions/suppressions"],
    {
      "a replay with another input succeeds": [
        "  repeats: sql`${finding.prior} ->> 'same'`,",
        "  repeats: sql`${finding.prior} is not null`,",
      ],
      "a key of one domain sends from another": [
        "forbidden: sql`${finding.only_domain_id} <> ${finding.domain_id}`",
        "forbidden: sql`0`",
      ],
      "an unverified domain sends": ["\n    and ${domains.status} = 'verified'", ""],
      "a domain of another team sends": [
        "on ${domains.name} = name.value and ${domains.teamId} = ${caller.team_id}",
        "on ${domains.name} = name.value",
      ],
      "a sending-only key overrides suppression": [
        "override: byPermission(x.override, sql`0`)",
        "override: sql`${x.override}`",
      ],
    },
  ),
  ...inFile(
    "src/worker/suppressions/blocking.ts",
    ["worker/emails/accept", "worker/suppressions/suppressions", "worker/erasure/erasure"],
    {
      "an override lets complaints through": [
        "where ${suppressions.reason} = 'complaint' or not ${override}",
        "where not ${override}",
      ],
      "an erased address may be mailed": ["in (a.address, a.erased)", "in (a.address)"],
    },
  ),
  ...inFile("src/worker/emails/accept/fingerprint.ts", ["worker/emails/accept"], {
    "the fingerprint forgets attachments": [
      '`{"attachments":${canonicalJson(attachments)}`',
      '`{"attachments":[]`',
    ],
  }),
  ...inFile("src/worker/stream/history.ts", ["worker/stream/stream"], {
    "a publication is told twice": [
      'if (isTold(id)) return []\n      sql.exec("INSERT INTO told VALUES (?)", id)',
      'sql.exec("INSERT OR IGNORE INTO told VALUES (?)", id)',
    ],
    "a reconnect skips the rest of a publication": [
      "changes.slice(known) }",
      "changes.slice(known + 1) }",
    ],
    "the sequence starts anew after a quiet day": [
      "AND (last_sequence <= ? OR published_at < ?)`,",
      "AND (last_sequence <= ? OR published_at < ? OR 1)`,",
    ],
  }),
  ...inFile("src/worker/stream/reader.ts", ["worker/stream/stream"], {
    "an unknown position is not reset": ["if (isReset) enqueue(resetFrame(position))", ""],
  }),
  ...inFile("src/worker/stream/team-stream.ts", ["worker/stream/stream"], {
    "a reader that is behind skips what waits": [
      "if (reader.sent !== before || !hasRoom(reader)) continue",
      "",
    ],
  }),
  ...inFile("src/worker/stream/sweep.ts", ["worker/stream/stream"], {
    "the sweep forgets the outbox": [
      "await within(ANSWERS_WITHIN_MS, announce(work.env, teamId, rows))",
      "",
    ],
  }),
  ...inFile(
    "src/worker/webhooks/deliveries/claim.sql.ts",
    ["worker/webhooks/deliveries", "worker/webhooks/hanging"],
    {
      "a delivery is claimed twice": [
        "limit +${size}`,\n      now + LEASE_MS,",
        "limit +${size}`,\n      now,",
      ],
    },
  ),
  ...inFile(
    "src/worker/webhooks/deliveries/record.sql.ts",
    ["worker/webhooks/deliveries", "worker/webhooks/dashboard"],
    {
      "a lost lease records its result": ["and ${deliveries.notBefore} = ${x.lease}`)", "`)"],
    },
  ),
  ...inFile("src/worker/webhooks/deliveries/record.sql.ts", ["worker/webhooks/late-claims"], {
    "a failure that is recorded late marks a healthy webhook": [
      "and ${deliveries.notBefore} = ${x.notBefore} and ${deliveries.state} = 'pending'",
      "",
    ],
  }),
  ...inFile("src/worker/webhooks/deliveries/retry.ts", ["worker/webhooks/deliveries"], {
    "a sixth failure is retried": [
      'if (delayMs === undefined) return { state: "exhausted" }',
      'if (delayMs === undefined) return { state: "pending", notBefore: now }',
    ],
    "a redirect counts as success": ["statusCode < 300", "statusCode < 400"],
  }),
  ...inFile(
    "src/worker/webhooks/deliveries/attempt.ts",
    [
      "worker/webhooks/deliveries",
      "worker/webhooks/address-guard",
      "worker/webhooks/dashboard",
      "worker/webhooks/webhooks",
    ],
    {
      "redirects are followed": ['redirect: "manual"', 'redirect: "follow"'],
      "a private target is called": [
        'if (target.kind === "private") {',
        'if (target.kind === "private" && event.id === "") {',
      ],
      "the previous secret signs for ever": [
        "previousSecret !== null && (previousSecretUntil ?? 0) > work.now()",
        "previousSecret !== null",
      ],
    },
  ),
  ...inFile("src/worker/webhooks/address-guard.ts", ["worker/webhooks/address-guard"], {
    "mapped addresses are public": ["return isWithin(GLOBAL_IPV6, address) && ", "return "],
  }),
  ...inFile("src/lib/webhook-signature.ts", ["lib/webhook-signature"], {
    "the signature leaves out the time": [".update(`${time}.${body}`)", ".update(body)"],
  }),
  ...inFile("src/worker/webhooks/events/store.ts", ["worker/webhooks/events"], {
    "events of a team have gaps": [
      "${eventSequences.last} + row_number()",
      "${eventSequences.last} + 1 + row_number()",
    ],
  }),
  ...inFile("src/worker/campaigns/sending/held-batches.ts", ["worker/campaigns/pause"], {
    "a run with held batches rests": ["not(hasBatches(work, from, ref)), ", ""],
    "a resume that comes between is not seen": [
      "isNotNull(campaignRuns.pausedReason))",
      "sql`true`)",
    ],
  }),
  ...inFile("src/worker/campaigns/sending/mail-batch.sql.ts", ["worker/campaigns/sending"], {
    "fan-out mails suppressed contacts": ["})} = '[]'`", "})} <> ''`"],
  }),
  ...inFile("src/worker/campaigns/sending/mail-batch.ts", ["worker/campaigns/sending"], {
    "two consumers mail one batch": ["and ${campaignRuns.cursor} is ${row.cursor}\n", "\n"],
  }),
  ...inFile(
    "src/worker/campaigns/sending/audience-page.ts",
    ["worker/campaigns/sending", "worker/campaigns/topics"],
    {
      "fan-out mails unsubscribed contacts": ["${contacts.subscribed} and ${wants", "${wants"],
      "fan-out skips a contact after a scan in which nobody wants the topic": [
        "${CONTACTS_A_SCAN - 1}",
        "${CONTACTS_A_SCAN}",
      ],
    },
  ),
  ...inFile("src/worker/campaigns/sending/wants-topic.ts", ["worker/campaigns/topics"], {
    "a deleted topic still has readers": ["${topics.default} = 'subscribed')", "1)"],
  }),
  ...inFile("src/worker/campaigns/sending/ends.ts", ["worker/campaigns/sending"], {
    "a campaign completes while mail is open": [
      "${campaigns.status} = 'sent' and ${campaignRuns.open} = 0\n",
      "${campaigns.status} = 'sent'\n",
    ],
  }),
  ...inFile("src/worker/campaigns/sending/waves.ts", ["worker/campaigns/sending"], {
    "a bad wave does not pause": ["  if (!alert) {", "  if (alert || !alert) {"],
  }),
  ...inFile("src/worker/contacts/import/import-chunk.sql.ts", ["worker/contacts/import"], {
    "an import resubscribes": [
      "subscribed: sql`min(${old.subscribed}, ${excluded(old.subscribed)})`",
      "subscribed: excluded(old.subscribed)",
    ],
  }),
  ...inFile("src/worker/contacts/import/read-import.ts", ["worker/contacts/import"], {
    "a later yes beats a no": [
      "  for (const contact of saidNo) Object.assign(contact, { subscribed: false, saysNo: true })\n",
      "",
    ],
  }),
  ...inFile(
    "src/worker/contacts/unsubscribe/routes.ts",
    ["worker/contacts/unsubscribe/unsubscribe"],
    {
      "one-click ends every book": [
        "bookId: form.has(EVERY_BOOK) ? undefined : bookId",
        "bookId: undefined",
      ],
      "a GET unsubscribes": [
        "return c.html(askPage(",
        `await unsubscribeAddress(work, {
          ...subscriber,
          reason: UNSUBSCRIBE_REASONS.link,
          actor: { by: UNSUBSCRIBE_REASONS.link, actorId: null },
          alongside: (condition) =>
            countUnsubscribed(work, { emailId: "", ...subscriber }, condition),
        })
        return c.html(askPage(`,
      ],
    },
  ),
  ...inFile(
    "src/worker/access/key-guard.ts",
    ["worker/access/keys/keys", "worker/platform/http/contract"],
    {
      "a revoked key still calls": [
        "and(eq(apiKeys.secretHash, secretHash), isNull(apiKeys.revokedAt)) as SQL",
        "eq(apiKeys.secretHash, secretHash) as SQL",
      ],
      "a sending-only key reads": [
        'if (access === "full" && row.permission !== "full") throw sendingOnly()',
        "",
      ],
    },
  ),
  ...inFile(
    "src/worker/access/session-guard.ts",
    ["worker/access/people/people", "worker/access/people/every-call"],
    {
      "another site calls with the cookie": [
        "if (!isSafe && !isOurs) throw",
        'if (!isSafe && !isOurs && origin === "") throw',
      ],
    },
  ),
  ...inFile(
    "src/lib/token.ts",
    ["lib/lib", "worker/contacts/unsubscribe/unsubscribe", "worker/emails/tracking/tracking"],
    {
      "tokens of one purpose serve another": [".update(`${purpose}.${body}`)", ".update(body)"],
      "a forged link redirects": ["return isOurs ? payload : null", "return payload"],
    },
  ),
  ...inFile(
    "src/worker/access/rate-limit.ts",
    ["worker/access/session-limits", "worker/access/keys/keys"],
    {
      "a rate limit is never reached": [
        "  if (success) return\n",
        "  if (success || key) return\n",
      ],
    },
  ),
  ...inFile("src/worker/erasure/emails.ts", ["worker/erasure/erasure", "worker/erasure/traces"], {
    "erasure forgets the timeline": [
      "  await eraseTimelines(work, { teamId, eraser, subjects })\n",
      "",
    ],
    "erasure leaves large content": ["objectKeys.map((objectKey) => ({ objectKey })),", "[],"],
  }),
  ...inFile("src/worker/erasure/erase.ts", ["worker/erasure/erasure"], {
    "an erasure that broke off is forgotten": [
      "if (isEnd && isEndOfReceived && !unfinished)",
      "if (isEnd || unfinished)",
    ],
  }),
  ...inFile("src/worker/emails/retention/retention.ts", ["worker/emails/reading"], {
    "retention deletes scheduled mail": [
      "const hasEnded = not(inArray(emails.status, OPEN_STATUSES))",
      "const hasEnded = sql`1`",
    ],
    "scheduled content is purged by the day of its acceptance": [
      "${hasEnded} and ${endedBefore(before)} order by ${emailContents.emailId}",
      "${hasEnded} order by ${emailContents.emailId}",
    ],
  }),
  ...inFile("src/worker/emails/tracking/track-html.ts", ["worker/emails/tracking/track-html"], {
    "click links wrap the unsubscribe link": [" || isOwn(url)", ""],
  }),
  ...inFile("src/worker/emails/packs/move.ts", ["worker/emails/packs"], {
    "contents of unsettled mail move to packs": ["iif(${isSettled(work.now())} and", "iif(1 and"],
    "content that was sent days later moves to a pack": [" and not ${endedDaysLater}", ""],
    "a pack mixes days": ["(dayOf(members[0].id) !== dayOf(id) || bytes", "(bytes"],
  }),
  ...inFile("src/worker/emails/packs/purge.ts", ["worker/emails/packs"], {
    "a pack is lost while its process lives": [
      "work.now() - LOST_AFTER_MS",
      "work.now() + LOST_AFTER_MS",
    ],
  }),
  ...inFile("src/worker/removals/keep.ts", ["worker/removals/removals"], {
    "the sweep leaves removals in the database": [
      "if (kept.length > 0) await moveRemovals(work, kept)\n    return kept",
      "return kept",
    ],
  }),
  ...inFile("src/worker/removals/repeat.ts", ["worker/removals/removals"], {
    "a restore removes somebody who joined again": [
      "\n    and ${members.createdAt} <= ${x.removedAt}",
      "",
    ],
    "a restore repeats what was removed long before": [
      "removals.filter(({ removedAt }) => removedAt >= since)",
      "removals",
    ],
    "a restore brings erased addresses back": ["    ...eraseAgain(work, address ?? []),\n", ""],
  }),
  ...inFile("src/worker/campaigns/run/pause.ts", ["worker/campaigns/pause"], {
    "a campaign that has no mail left is paused": ['and(has("sent"), isInQueue)', 'has("sent")'],
    "a resume does not wake the campaign": ["dueAt: ctx.now() })", "})"],
  }),
  ...inFile("src/worker/platform/http/scan.ts", ["worker/emails/filters"], {
    "a search skips a record after each scan": ["offset ${scan} - 1", "offset ${scan}"],
    "a search hides how far it looked": [
      "...(!isFull && { searchedUntil: timeOf(end) })",
      "...(isFull && { searchedUntil: timeOf(end) })",
    ],
  }),
  ...inFile("src/worker/topics/delete.ts", ["worker/campaigns/topics", "worker/contacts/topics"], {
    "a deleted topic keeps its scheduled campaigns": [
      "    ...campaignsWithoutTopic(ctx, team.id, id),\n",
      "",
    ],
  }),
  ...inFile("src/worker/segments/count.ts", ["worker/segments/races", "worker/segments/segments"], {
    "a count forgets the pages before": ["const found = at.found + ", "const found = "],
    "a count of an older filter stays": ["    eq(segments.updatedAt, at.updatedAt),\n", ""],
  }),
  ...inFile("src/worker/campaigns/audience.ts", ["worker/campaigns/segments"], {
    "an audience counts suppressed members": [
      "one.subscribed && !one.isSuppressed && mayGet(one)",
      "one.subscribed && mayGet(one)",
    ],
  }),
  ...inFile("src/worker/emails/accept/accept.ts", ["worker/emails/skip-suppressed"], {
    "one suppressed recipient cancels the mail of all": [
      "addressesOf(input).every(",
      "addressesOf(input).some(",
    ],
  }),
  ...inFile("src/lib/webhook-signature.ts", ["lib/webhook-signature"], {
    "the standard signature leaves out the id": ["${event.id}.${time}.${body}", "${time}.${body}"],
  }),
  ...inFile("src/worker/webhooks/payload.ts", ["worker/webhooks/resend-format"], {
    "Resend's format lacks the headers of Svix": [
      'name.startsWith("webhook-")',
      'name.startsWith("svix-")',
    ],
  }),
  ...inFile("src/worker/access/people/sessions/session.ts", ["worker/access/people/people"], {
    "a member does what only an admin may": [
      "if (!hasRole(role, needed)) throw",
      "if (!hasRole(role, needed) && !role) throw",
    ],
    "a session that has ended still calls": [
      "${sessions.token} = ${token} and ${sessions.expiresAt} > ${now}",
      "${sessions.token} = ${token}",
    ],
    "a person calls in a team of others": [
      "!teamId || team.id === teamId",
      'team.id !== "" || team.id === teamId',
    ],
  }),
  ...inFile("src/worker/access/rate-limit.ts", ["worker/platform/http/contract"], {
    "each address of an IPv6 network counts alone": ["address ${networkOf(ip)}", "address ${ip}"],
    "the calls of a team are not counted": [
      "hold(env.TEAM_RATE_LIMIT, teamId",
      "hold(env.API_RATE_LIMIT, teamId",
    ],
  }),
  ...inFile("src/worker/emails/accept/accept.sql.ts", ["worker/emails/accept"], {
    "a batch judges overrides together": [
      "${domainOf(from.address)} ${overrideSuppression} ${onSuppressed}`",
      "${domainOf(from.address)} ${onSuppressed}`",
    ],
  }),
  ...inFile("src/worker/emails/accept/batch.ts", ["worker/resend/emails"], {
    "the rest of a permissive batch gets other keys": [
      "asked.map((item) => withItemKey(item, callKey))",
      "asked.map((item, index) => withItemKey({ ...item, index }, callKey))",
    ],
  }),
  ...inFile("src/worker/emails/reschedule.ts", ["worker/emails/reading"], {
    "a refused reschedule still moves the email": [
      'and(isEmail(ctx, id), eq(emails.status, "scheduled"), isOwn)',
      "and(isEmail(ctx, id), isOwn)",
    ],
  }),
  ...inFile("src/worker/emails/retention/retention.ts", ["worker/emails/reading"], {
    "contents outlive their records": [
      "olderThan(Math.min(CONTENT_RETENTION_DAYS, RECORD_RETENTION_DAYS))",
      "olderThan(CONTENT_RETENTION_DAYS)",
    ],
  }),
  ...inFile("src/worker/emails/sending/sweep-emails.ts", ["worker/emails/sending/provider-pause"], {
    "a pause of one provider fails the mail of the other": [
      'bulk: priority === "bulk" }).name === provider)',
      'bulk: priority === "bulk" }).name !== "")',
    ],
  }),
  ...inFile("src/worker/campaigns/run/move.ts", ["worker/campaigns/sending"], {
    "a start ignores a change made meanwhile": [
      "and(hasStatus(row, [row.status]), eq(campaigns.updatedAt, row.updatedAt)) as SQL",
      "hasStatus(row, EDITABLE)",
    ],
  }),
  ...inFile("src/worker/campaigns/delete.ts", ["worker/campaigns/campaigns"], {
    "a refused deletion hides the campaign": ['ne(campaigns.status, "sending"), ', ""],
  }),
  ...inFile("src/worker/webhooks/webhooks.ts", ["worker/webhooks/deliveries"], {
    "a rotation without overlap keeps an older secret": [
      `        previousSecret: overlap ? sql\`\${webhooks.secret}\` : null,
        previousSecretUntil: overlap ? ctx.now() + OVERLAP_MS : null,`,
      `...(overlap && {
          previousSecret: sql\`\${webhooks.secret}\`,
          previousSecretUntil: ctx.now() + OVERLAP_MS,
        }),`,
    ],
  }),
  ...inFile("src/worker/webhooks/deliveries/drop.ts", ["worker/webhooks/purging"], {
    "a disabled webhook gets what an earlier disabling by a clock ahead has dated": [
      "abs(${webhooks.droppedAt}) + 1, ",
      "",
    ],
  }),
  ...inFile("src/worker/teams/moving/advance.ts", ["worker/teams/moving/move"], {
    "a restored database keeps its copy of a team that has left it": [
      '  await raiseFence(holder, "source", "closed")\n  if (!(await deleteRows(holder, "source"))) return 0\n  await lower',
      '  if (!(await deleteRows(holder, "source"))) return 0\n  await lower',
    ],
    "a move of an earlier version goes on without a fence": [
      'holder.row().phase !== "copying" || (await isClosed(holder, holder.source))',
      "true as boolean",
    ],
    "a team waits for a target that does not answer": [
      'isCancelled ? ["source"] : ["source", "target"]',
      '["source", "target"]',
    ],
  }),
  ...inFile("src/worker/teams/moving/advance.ts", ["worker/teams/moving/while-moving"], {
    "a team is copied while a consumer sends its mail": [
      "if (await hasLeases(workIn(work, source), holder.teamId)) {",
      "if (false as boolean) {",
    ],
  }),
  ...inFile("src/worker/teams/moving/fence.ts", ["worker/teams/moving/move"], {
    "a process that has lost a move takes the fence of the next one": [
      " where held_by = excluded.held_by\n",
      "\n",
    ],
    "a process that has lost a move leaves a fence behind": [
      "await lowerFence(holder, end)\n    throw error",
      "throw error",
    ],
    "a move goes on behind a fence that it has lost": [
      "if (opened?.results.length === 0) throw lostFence()",
      "",
    ],
    "a late call writes to the database that its team has left": [
      "in ('closed', 'left')",
      "= 'closed'",
    ],
  }),
  ...inFile("src/worker/teams/moving/enqueue.ts", ["worker/teams/moving/move"], {
    "a fence that was left behind stays until the source is deleted": [
      ".where(and(isOneOf(teamMoves.teamId, ids), not(isOpened)))",
      ".where(isOneOf(teamMoves.teamId, ids))",
    ],
  }),
  ...inFile("src/worker/cron.ts", ["worker/teams/moving/while-moving"], {
    "the minute purges half of a team's rows": ["if (await isTeamOnItsWay(work)) return", ""],
  }),
  ...inFile("src/worker/webhooks/deliveries/record.ts", ["worker/webhooks/hanging"], {
    "a probe of the old address frees the new one": [
      "and(eq(webhooks.url, url), condition)",
      "condition",
    ],
  }),
  ...inFile("src/worker/access/people/sessions/valid-sessions.ts", ["worker/stream/stream"], {
    "the stream of a session that has expired goes on": [
      "        gt(sessions.expiresAt, new Date()),\n",
      "",
    ],
  }),
  ...inFile("src/worker/contacts/consents/change-consents.ts", ["worker/contacts/preferences"], {
    "a choice rewrites an older unsubscription": [
      "...(flips && (consent.subscribed ? given : withdrawn)),",
      "...(consent.subscribed ? given : withdrawn),",
    ],
  }),
  ...inFile("src/worker/domains/domains.ts", ["worker/domains/domains"], {
    "the service proves a name below another team's": [
      "!isProof(record) || !(isBelow || isContested)",
      "!isProof(record) || !isContested",
    ],
  }),
  ...inFile("src/worker/providers/ses/ses.ts", ["worker/providers/ses"], {
    "SES mails a skipped blind copy": ['mailed(message, "bcc")', "message.bcc"],
  }),
  ...inFile("src/worker/teams/members/invitations.ts", ["worker/teams/members/members"], {
    "an admin revokes an owner's invitation": [
      'own === "owner" ? undefined :',
      'own !== "member" ? undefined :',
    ],
    "a resent invitation is forgotten by its age": [
      "lte(invitations.expiresAt, work.now() - KEPT_MS)",
      "lte(invitations.createdAt, work.now() - KEPT_MS)",
    ],
  }),
  ...underFaults("src/worker/emails/sending/postpone.sql.ts", {
    "a postponement ignores the claim": [
      "and ${emails.claimedBy} = ${x.claim} and ${emails.notBefore} = ${x.lease}`),",
      "`),",
    ],
  }),
  ...underFaults("src/worker/emails/outcomes/record.sql.ts", {
    "an event is recorded twice": [
      "where ${condition} and ${isLatest} and not ${isKnown}`)}",
      "where ${condition} and ${isLatest}`)}",
    ],
  }),
  ...underFaults("src/worker/stream/history.ts", {
    "a publication is told twice": [
      'if (isTold(id)) return []\n      sql.exec("INSERT INTO told VALUES (?)", id)',
      'sql.exec("INSERT OR IGNORE INTO told VALUES (?)", id)',
    ],
  }),
  ...underFaults("src/worker/providers/ses/ses.ts", {
    "a message without an answer is sent again at once": [
      "retryable: true, unanswered: true, reason }",
      "retryable: true, reason }",
    ],
    "a message is sent again before the provider's report": [
      "settleMs: SETTLE_MS,",
      "settleMs: 0,",
    ],
  }),
  ...underFaults("src/worker/stream/sweep.ts", {
    "the sweep forgets the outbox": [
      "await within(ANSWERS_WITHIN_MS, announce(work.env, teamId, rows))",
      "",
    ],
  }),
  ...underFaults("src/worker/teams/purge.ts", {
    "a purge leaves the large contents": ["  await deleteObjects(env, found)\n", ""],
  }),
  ...inFile("src/worker/teams/deletion/sweep.ts", ["worker/teams/deletion/team"], {
    "uploads of a deleted team stay": ["  await deleteObjectsOfTeam(work.env, teamId)\n", ""],
  }),
  ...inFile("src/worker/sequences/running/look.ts", ["worker/sequences/rounds"], {
    "a walk wakes the first page of runs": [
      "const isEnd = runs.length < RUNS_A_PAGE",
      "const isEnd = true as boolean",
    ],
    "a sequence goes before its last run": [
      "    if (deleted.length === RUNS_A_PAGE) {",
      "    if (deleted.length > RUNS_A_PAGE) {",
    ],
    "the first page of held mail is taken for all": [
      "return released.length < BATCHES_A_PAGE",
      "return true",
    ],
  }),
  ...inFile("src/worker/sequences/running/sweep.ts", ["worker/sequences/volume"], {
    "mail waits for a look at ten pages of contacts": [
      "const isDone = await advanceDueRuns(work)",
      "const isDone = true as boolean",
    ],
    "each consumer tries all pages that another one moves": [
      "if (decisions.length > 0 && moved === 0) return false",
      "void moved",
    ],
    "the pages of runs leave no time to others": ["    await leaveDatabaseToOthers()\n", ""],
  }),
  ...inFile("src/worker/contacts/import/import-rows.ts", ["worker/resend/contact-imports"], {
    "an import to a segment subscribes who has left another one": [
      "asksAllBooks ? hasLeftBook(teamId)",
      "asksAllBooks && false ? hasLeftBook(teamId)",
    ],
  }),
  ...inFile("src/worker/received/taking/work-off.ts", ["worker/received/working-off"], {
    "a consumer of received mail ends after one claim": [
      "if (claimed.length < CLAIMED_AT_ONCE && !isAlone) return",
      "return",
    ],
    "a message that the database refuses is tried for ever": [
      "costsAttempt: isRefused(error)",
      "costsAttempt: false",
    ],
  }),
  ...inFile("src/worker/received/taking/claim.ts", ["worker/received/working-off"], {
    "a late consumer gives up the lease of the next": [
      "    eq(receivedEmails.leasedUntil, leasedUntil),\n",
      "",
    ],
    "a message that ends its process is claimed with others": [
      "(select attempts from ordered where number = 1) > 0, number = 1, attempts = 0)",
      "true, true, true)",
    ],
  }),
  ...inFile("src/worker/received/purge.ts", ["worker/received/inboxes"], {
    "a purge of received mail skips what its round left": [
      "isFull ? old.at(-1)?.id : end?.last",
      "end?.last",
    ],
  }),
  ...inFile("src/worker/forms/submit.ts", ["worker/forms/forms"], {
    "a late post asks who was subscribed meanwhile": [
      "isContact(ctx, contact.bookId, contact.id),\n    eq(contacts.updatedAt, contact.updatedAt),\n",
      "isContact(ctx, contact.bookId, contact.id),\n",
    ],
  }),
  ...inFile("src/worker/platform/queues/dead-letters.ts", ["worker/platform/queues/dead-letters"], {
    "a letter that is asked for again while it goes back is forgotten": [
      "sql`(${deadLetters.id}, ${deadLetters.replayAt}) in (\n          select ${x.id}, ${x.replayAt} from",
      "sql`(${deadLetters.id}) in (\n          select ${x.id} from",
    ],
  }),
  ...inFile("src/worker/stream/sweep.ts", ["worker/stream/stream"], {
    "a sweep of the stream leaves the changes after its first round": [
      "ids.length === ROWS_A_TEAM",
      "ids.length > ROWS_A_TEAM",
    ],
  }),
]
