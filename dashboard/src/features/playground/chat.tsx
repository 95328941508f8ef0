import { Button, Group, Kbd, Stack, Text, Textarea } from '@mantine/core'
import { type KeyboardEvent, useState } from 'react'
import { useUnsavedWarning } from '../../ui/use-unsaved-warning.ts'
import classes from './chat.module.css'
import { TurnCard } from './turn-card.tsx'
import type { useChat } from './use-chat.ts'
import { useScrollToEnd } from './use-scroll-to-end.ts'

interface ChatProps {
  readonly chat: ReturnType<typeof useChat>
  /** Undefined: not selected yet. */
  readonly application: string | undefined
}

/** Messages of the chat and the input for the next one. */
export function Chat({ chat, application }: ChatProps) {
  const { turns, selected, choose, send, pending, stop } = chat
  const [text, setText] = useState('')
  useUnsavedWarning(text.trim() !== '')
  const end = useScrollToEnd(turns)
  const ready = application !== undefined && text.trim() !== '' && !pending
  const submit = () => {
    if (!ready) return
    setText('')
    send(application, text.trim())
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (!isSubmitKey(event)) return
    event.preventDefault()
    submit()
  }
  return (
    <Stack>
      <Stack role="log" aria-label="Chat" aria-live="polite">
        {turns.map((turn) => (
          <TurnCard key={turn.id} turn={turn} selected={turn.id === selected?.id} onChoose={() => choose(turn.id)} />
        ))}
        <div ref={end} className={classes.end} />
      </Stack>
      <Stack gap="xs" className={classes.composer ?? ''}>
        <Textarea
          label="Message"
          autosize
          minRows={3}
          maxRows={12}
          placeholder={application === undefined ? 'Choose an Application first' : 'Message of the user'}
          value={text}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
          onKeyDown={onKeyDown}
        />
        <Group justify="space-between">
          <KeyHint />
          <SendButton pending={pending} disabled={!ready} onSend={submit} onStop={stop} />
        </Group>
      </Stack>
    </Stack>
  )
}

const isSubmitKey = (event: KeyboardEvent): boolean => event.key === 'Enter' && !event.shiftKey && !event.nativeEvent.isComposing

const KeyHint = () => (
  <Text size="xs" c="dimmed">
    <Kbd size="xs">Enter</Kbd> to send, <Kbd size="xs">Shift</Kbd> + <Kbd size="xs">Enter</Kbd> for a new line
  </Text>
)

interface SendButtonProps {
  readonly pending: boolean
  readonly disabled: boolean
  readonly onSend: () => void
  readonly onStop: () => void
}

function SendButton({ pending, disabled, onSend, onStop }: SendButtonProps) {
  if (pending) {
    return (
      <Button variant="default" onClick={onStop}>
        Stop
      </Button>
    )
  }
  return (
    <Button disabled={disabled} onClick={onSend}>
      Send
    </Button>
  )
}
