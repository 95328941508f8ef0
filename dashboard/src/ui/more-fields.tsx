import { Button, Collapse, Stack } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react'
import type { ReactNode } from 'react'

interface MoreFieldsProps {
  readonly label: string
  readonly initiallyOpen?: boolean
  /** A field in it has an error: it stays open. */
  readonly hasError: boolean
  readonly children: ReactNode
}

/** Fields of a form that most operators leave empty. */
export function MoreFields({ label, initiallyOpen = false, hasError, children }: MoreFieldsProps) {
  const [opened, { toggle }] = useDisclosure(initiallyOpen)
  const isOpen = opened || hasError
  const Icon = isOpen ? IconChevronDown : IconChevronRight
  return (
    <div>
      <Button variant="subtle" size="compact-sm" ml={-8} aria-expanded={isOpen} leftSection={<Icon size={16} />} onClick={toggle}>
        {label}
      </Button>
      {/* Without a transition, so that a field with an error can get the focus at once. */}
      <Collapse expanded={isOpen} pt="sm" transitionDuration={0}>
        <Stack>{children}</Stack>
      </Collapse>
    </div>
  )
}
