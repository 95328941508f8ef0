import { useChange } from '../../api/queries.ts'
import { ConfirmButton } from '../../ui/confirm-button.tsx'
import type { Memory } from './memory.ts'

export function EraseButton({ memory: { id, content } }: { readonly memory: Memory }) {
  const erase = useChange('delete', '/admin/v1/memories/{id}', { refresh: ['/admin/v1/memories'] })
  return (
    <ConfirmButton
      color="red"
      aria-label={`Erase: ${content}`}
      question="Erase this memory?"
      consequence={`“${content}” and its history are erased. This cannot be undone.`}
      onConfirm={() => erase.mutateAsync({ params: { path: { id } } })}
    >
      Erase
    </ConfirmButton>
  )
}
