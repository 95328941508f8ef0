import { Button, Collapse, Stack } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react'
import type { ReactNode } from 'react'

interface MoreFieldsProps {
  readonly label: string
  /** A field in it has an error: it stays open. */
  readonly hasError: boolean
  readonly children: ReactNode
}

/** Fields of a form that most operators leave empty. */
export function MoreFields({ label, hasError, children }: MoreFieldsProps) {
  const [opened, { toggle }] = useDisclosure()
  const isOpen = opened || hasError
  const Icon = isOpen ? IconChevronDown : IconChevronRight
  return (
    <div>
      <Button variant="subtle" size="compact-sm" aria-expanded={isOpen} leftSection={<Icon size={16} />} onClick={toggle}>
        {label}
      </Button>
      <Collapse expanded={isOpen} pt="sm">
        <Stack>{children}</Stack>
      </Collapse>
    </div>
  )
}
