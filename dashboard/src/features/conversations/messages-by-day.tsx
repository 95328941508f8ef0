import { Fragment } from 'react'
import { DaySeparator, dayOf } from './day.tsx'
import type { Message } from './member-queries.ts'
import { MessageRow } from './message-row.tsx'

/** The messages, oldest first, with a separator before each day. `messages`: newest first. */
export const MessagesByDay = ({ messages }: { readonly messages: readonly Message[] }) =>
  messages.toReversed().map((message, index, all) => {
    const day = dayOf(message.created_at)
    const before = all[index - 1]
    return (
      <Fragment key={message.id}>
        {(!before || dayOf(before.created_at) !== day) && <DaySeparator day={day} />}
        <MessageRow message={message} repliedTo={messages.find(({ id }) => id === message.reply_to)} />
      </Fragment>
    )
  })
