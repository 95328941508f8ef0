import { Button, Group } from '@mantine/core'
import { useMember } from './member.ts'
import type { Message } from './member-queries.ts'
import { REACTIONS, useReact } from './reaction-names.ts'

/** What others think of a message; pressing joins them, or takes one's own back. */
export function Reactions({ message }: { readonly message: Message }) {
  const { userId } = useMember()
  const react = useReact(message)
  const given = message.reactions.flatMap((map) => Object.entries(map))
  if (given.length === 0) return null
  return (
    <Group gap={4} mt={4}>
      {given.map(([name, who]) => {
        const mine = who.includes(userId)
        const { label = name, Icon } = REACTIONS[name] ?? {}
        return (
          <Button
            key={name}
            size="compact-xs"
            radius="xl"
            variant={mine ? 'outline' : 'default'}
            aria-pressed={mine}
            aria-label={`${label} ${who.length}: ${who.join(', ')}`}
            title={who.join(', ')}
            onClick={() => react(name, !mine)}
          >
            {Icon ? <Icon size={14} aria-hidden /> : label}&nbsp;{who.length}
          </Button>
        )
      })}
    </Group>
  )
}
