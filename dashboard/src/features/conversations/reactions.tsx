import { Button, Group } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useMember } from './member-context.ts'
import type { Message } from './member-queries.ts'
import { REACTIONS, useReact } from './reaction-types.ts'

/** Reactions to a message. A click adds or removes the user's own. */
export function Reactions({ message }: { readonly message: Message }) {
  const { t } = useTranslation('conversations')
  const { userId } = useMember()
  const react = useReact(message)
  const reactions = message.reactions.flatMap((map) => Object.entries(map))
  if (reactions.length === 0) return null
  return (
    <Group gap={4} mt={4}>
      {reactions.map(([name, userIds]) => {
        const own = userIds.includes(userId)
        const { label: known, Icon } = REACTIONS[name] ?? {}
        const label = known ? t(`reactions.${known}`) : name
        return (
          <Button
            key={name}
            size="compact-xs"
            radius="xl"
            variant={own ? 'outline' : 'default'}
            aria-pressed={own}
            aria-label={`${label} ${userIds.length}: ${userIds.join(', ')}`}
            title={userIds.join(', ')}
            onClick={() => react(name, !own)}
          >
            {Icon ? <Icon size={14} aria-hidden /> : label}&nbsp;{userIds.length}
          </Button>
        )
      })}
    </Group>
  )
}
