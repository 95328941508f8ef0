import { Alert, Button, Group, Kbd, Stack, Text, Textarea } from '@mantine/core'
import { useHotkeys } from '@mantine/hooks'
import { IconCheck, IconEye, IconX } from '@tabler/icons-react'
import { type KeyboardEvent, useRef, useState } from 'react'
import { useSession } from '../../api/session.ts'
import { useUnsaved } from '../../ui/use-unsaved.ts'
import type { ReviewItem } from './review-item.ts'
import { useJudgement, type Verb } from './use-judgement.ts'

interface JudgementProps {
  readonly item: ReviewItem
  /** The item has been on screen long enough to be decided on. */
  readonly ready: boolean
}

const CHOICES = [
  { verb: 'approve', kind: 'hold', label: 'Approve', letter: 'A', color: 'green', icon: IconCheck },
  { verb: 'deny', kind: 'hold', label: 'Deny', letter: 'D', color: 'red', icon: IconX },
  { verb: 'acknowledge', kind: 'escalation', label: 'Acknowledge', letter: 'E', color: 'gate', icon: IconEye },
] as const

/**
 * The buttons that decide on an item. By mouse they decide at once; by keyboard a letter chooses and focuses the comment, and
 * Enter confirms: no single key that was hit by accident releases anything.
 */
export function Judgement({ item, ready }: JudgementProps) {
  const [comment, setComment] = useState('')
  const [chosen, setChosen] = useState<Verb>()
  const field = useRef<HTMLTextAreaElement>(null)
  const { judge, pending } = useJudgement(item)
  useUnsaved(comment.trim() !== '' && !pending)
  const operator = useSession().data?.operator.id ?? ''
  const own = operator === item.user_id || item.key_issuers.includes(operator)
  const choices = CHOICES.filter(({ kind }) => kind === item.kind)
  const choose = (verb: Verb) => {
    if (own) return
    setChosen(verb)
    field.current?.focus()
  }
  useHotkeys([...choices.map(({ letter, verb }) => [letter, () => choose(verb)] as [string, () => void])])
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') {
      setChosen(undefined)
      field.current?.blur()
    } else if (event.key === 'Enter' && !event.shiftKey && chosen) {
      event.preventDefault()
      if (ready && !pending && !event.repeat) judge(chosen, comment)
    }
  }
  if (own) {
    const reason = operator === item.user_id ? 'This is your own request' : 'You issued the API key that this was asked with'
    return <Alert color="yellow">{reason}: another operator has to decide on it.</Alert>
  }
  const intent = choices.find(({ verb }) => verb === chosen)
  return (
    <Stack gap="xs">
      <Textarea
        ref={field}
        label="Comment"
        description="Kept with the decision."
        autosize
        minRows={1}
        maxRows={6}
        maxLength={4_000}
        value={comment}
        onChange={({ currentTarget }) => setComment(currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      <Text size="sm" role="status" mih="1.5em">
        {intent && (
          <>
            <Kbd size="xs">Enter</Kbd> to {intent.label.toLowerCase()}, <Kbd size="xs">Esc</Kbd> to think again
          </>
        )}
      </Text>
      <Group>
        {choices.map(({ verb, label, letter, color, icon: Icon }) => (
          <Button
            key={verb}
            color={color}
            variant={chosen === verb || (!chosen && verb !== 'deny') ? 'filled' : 'light'}
            loading={pending && chosen === verb}
            disabled={!ready || pending}
            leftSection={<Icon size={16} />}
            rightSection={
              <Kbd size="xs" aria-hidden visibleFrom="sm">
                {letter}
              </Kbd>
            }
            aria-keyshortcuts={letter}
            onClick={() => {
              setChosen(verb)
              judge(verb, comment)
            }}
          >
            {label}
          </Button>
        ))}
      </Group>
    </Stack>
  )
}
