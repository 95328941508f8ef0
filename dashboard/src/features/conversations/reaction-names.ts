import { IconConfetti, IconEye, IconHeart, IconMoodSmile, IconThumbUp } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { notifyError } from '../../ui/notify.ts'
import { useMember } from './member.ts'
import { type Message, memberKey } from './member-queries.ts'

/** The reactions that this messenger offers; others that it meets it shows by their name. */
export const REACTIONS: Readonly<Record<string, { readonly label: string; readonly Icon: typeof IconEye }>> = {
  like: { label: 'Like', Icon: IconThumbUp },
  love: { label: 'Love', Icon: IconHeart },
  smile: { label: 'Smile', Icon: IconMoodSmile },
  celebrate: { label: 'Celebrate', Icon: IconConfetti },
  seen: { label: 'Having a look', Icon: IconEye },
}

/** Gives a reaction, or takes it back. */
export function useReact({ id, conversation_id }: Message): (name: string, give: boolean) => void {
  const { client, userId } = useMember()
  const queries = useQueryClient()
  return (name, give) => {
    const params = { path: { id, name } }
    const path = '/v1/messages/{id}/reactions/{name}'
    const done = give ? client.PUT(path, { params }) : client.DELETE(path, { params })
    done.then(() => queries.invalidateQueries({ queryKey: memberKey(userId, 'messages', conversation_id) }), notifyError)
  }
}
