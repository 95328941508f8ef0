import { Popover } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { cloneElement, type ReactElement, useState } from 'react'
import { Calendar, type Days } from './calendar.tsx'
import type { PopupProps } from './lazy-popup.tsx'

interface DayRangeProps {
  readonly from: string | undefined
  readonly to: string | undefined
  readonly onChange: (days: { readonly from: string; readonly to: string }) => void
}

/** A popover with a calendar, which closes when days are selected. */
export function DayRangePopover({ target, onChange, ...days }: DayRangeProps & PopupProps) {
  const [opened, { close, toggle }] = useDisclosure(true)
  return (
    <Popover opened={opened} onChange={close} position="bottom-end" trapFocus withArrow>
      <Popover.Target>{cloneElement(target as ReactElement<{ onClick: () => void }>, { onClick: toggle })}</Popover.Target>
      <Popover.Dropdown>
        <DayRange
          {...days}
          onChange={(selected) => {
            onChange(selected)
            close()
          }}
        />
      </Popover.Dropdown>
    </Popover>
  )
}

function DayRange({ from, to, onChange }: DayRangeProps) {
  const [days, setDays] = useState<Days>([from ?? null, to ?? null])
  const select = (selected: Days) => {
    setDays(selected)
    const [first, last] = selected
    if (first && last) onChange({ from: first, to: last })
  }
  return <Calendar days={days} onChange={select} />
}
