import { Button, Group, Kbd, Stack, Text, Textarea } from '@mantine/core'
import { type KeyboardEvent, useState } from 'react'
import { useUnsaved } from '../../ui/use-unsaved.ts'
import classes from './chat.module.css'
import { TurnCard } from './turn-card.tsx'
import type { useConversation } from './use-conversation.ts'
import { useEndInView } from './use-end-in-view.ts'

interface ChatProps {
  readonly conversation: ReturnType<typeof useConversation>
  /** Undefined: none is chosen yet. */
  readonly application: string | undefined
}

/** What was asked and answered so far, and the next question. */
export function Chat({ conversation, application }: ChatProps) {
  const { turns, chosen, choose, send, pending, stop } = conversation
  const [text, setText] = useState('')
  useUnsaved(text.trim() !== '')
  const end = useEndInView(turns)
  const ready = application !== undefined && text.trim() !== '' && !pending
  const submit = () => {
    if (!ready) return
    setText('')
    send(application, text.trim())
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
    event.preventDefault()
    submit()
  }
  return (
    <Stack>
      <Stack role="log" aria-label="Chat" aria-live="polite">
        {turns.map((turn) => (
          <TurnCard key={turn.id} turn={turn} chosen={turn.id === chosen?.id} onChoose={() => choose(turn.id)} />
        ))}
        <div ref={end} className={classes.end} />
      </Stack>
      <Stack gap="xs" className={classes.composer ?? ''}>
        <Textarea
          label="Message"
          autosize
          minRows={3}
          maxRows={12}
          placeholder={application === undefined ? 'Choose an Application first' : 'What the user would say'}
          value={text}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
          onKeyDown={onKeyDown}
        />
        <Group justify="space-between">
          <Text size="xs" c="dimmed">
            <Kbd size="xs">Enter</Kbd> sends, <Kbd size="xs">Shift</Kbd> + <Kbd size="xs">Enter</Kbd> breaks the line
          </Text>
          {pending ? (
            <Button variant="default" onClick={stop}>
              Stop
            </Button>
          ) : (
            <Button disabled={!ready} onClick={submit}>
              Send
            </Button>
          )}
        </Group>
      </Stack>
    </Stack>
  )
}
