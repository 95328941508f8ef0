import { IconConfetti, IconEye, IconHeart, IconMoodSmile, IconThumbUp } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { notifyError } from '../../ui/notify.ts'
import type texts from './en.json'
import { useMember } from './member-context.ts'
import { type Message, memberKey } from './member-queries.ts'

/** Reactions that the messenger offers. Others are shown by name. `label`: key in the catalogue. */
export const REACTIONS: Readonly<
  Record<string, { readonly label: keyof typeof texts.reactions; readonly Icon: typeof IconEye }>
> = {
  like: { label: 'like', Icon: IconThumbUp },
  love: { label: 'love', Icon: IconHeart },
  smile: { label: 'smile', Icon: IconMoodSmile },
  celebrate: { label: 'celebrate', Icon: IconConfetti },
  seen: { label: 'seen', Icon: IconEye },
}

/** Adds or removes a reaction. */
export function useReact({ id, conversation_id }: Message): (name: string, add: boolean) => void {
  const { client, userId } = useMember()
  const queries = useQueryClient()
  return (name, add) => {
    const params = { path: { id, name } }
    const path = '/v1/messages/{id}/reactions/{name}'
    const request = add ? client.PUT(path, { params }) : client.DELETE(path, { params })
    request.then(() => queries.invalidateQueries({ queryKey: memberKey(userId, 'messages', conversation_id) }), notifyError)
  }
}
