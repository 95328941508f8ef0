import { IconConfetti, IconEye, IconHeart, IconMoodSmile, IconThumbUp } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { notifyError } from '../../ui/notify.ts'
import { useMember } from './member-context.ts'
import { type Message, memberKey } from './member-queries.ts'

/** Reactions that the messenger offers. Others are shown by name. */
export const REACTIONS: Readonly<Record<string, { readonly label: string; readonly Icon: typeof IconEye }>> = {
  like: { label: 'Like', Icon: IconThumbUp },
  love: { label: 'Love', Icon: IconHeart },
  smile: { label: 'Smile', Icon: IconMoodSmile },
  celebrate: { label: 'Celebrate', Icon: IconConfetti },
  seen: { label: 'Seen', Icon: IconEye },
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
