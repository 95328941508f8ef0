import { Box, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import classes from './description-list.module.css'

interface DescriptionListProps {
  /** Items without a value are left out. */
  readonly items: readonly (readonly [name: string, value: ReactNode])[]
}

/** Names and values of one object. */
export function DescriptionList({ items }: DescriptionListProps) {
  return (
    <dl className={classes.list}>
      {items
        .filter(([, value]) => value !== null && value !== undefined && value !== false)
        .map(([name, value]) => (
          <Box key={name}>
            <Text component="dt" size="sm" c="dimmed">
              {name}
            </Text>
            <Text component="dd" m={0} size="sm" className={classes.value ?? ''}>
              {value}
            </Text>
          </Box>
        ))}
    </dl>
  )
}
