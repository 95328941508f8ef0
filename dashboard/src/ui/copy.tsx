import { ActionIcon, Code, Group, CopyButton as MantineCopyButton, Tooltip } from '@mantine/core'
import { IconCheck, IconCopy } from '@tabler/icons-react'

interface CopyProps {
  readonly value: string
  /** What is copied: "the key". */
  readonly what: string
}

interface CopyableProps extends CopyProps {
  /** Takes the focus when the dialog around it opens. */
  readonly autoFocus?: boolean
}

/** Copies a value, and says that it has. */
export function CopyButton({ value, what, autoFocus }: CopyableProps) {
  return (
    <MantineCopyButton value={value} timeout={2_000}>
      {({ copied, copy }) => (
        <Tooltip label={copied ? 'Copied' : `Copy ${what}`}>
          <ActionIcon
            variant="subtle"
            color={copied ? 'green' : 'gray'}
            onClick={copy}
            aria-label={copied ? 'Copied' : `Copy ${what}`}
            {...(autoFocus && { 'data-autofocus': true })}
          >
            {copied ? <IconCheck size={16} /> : <IconCopy size={16} />}
          </ActionIcon>
        </Tooltip>
      )}
    </MantineCopyButton>
  )
}

/** A value to be copied rather than read: ids, keys, links. */
export function Copyable({ value, what, autoFocus }: CopyableProps) {
  return (
    <Group gap={4} wrap="nowrap">
      <Code style={{ overflowWrap: 'anywhere' }}>{value}</Code>
      <CopyButton value={value} what={what} {...(autoFocus && { autoFocus })} />
    </Group>
  )
}
