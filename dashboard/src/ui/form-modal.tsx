import { Modal, type ModalProps } from '@mantine/core'
import { mayLeave, useUnsaved } from './use-unsaved.ts'

interface FormModalProps extends Pick<ModalProps, 'title' | 'size' | 'children' | 'closeOnClickOutside'> {
  readonly opened: boolean
  /** Something was typed that is not saved: closing the dialog asks first. */
  readonly unsaved: boolean
  /** Closes the dialog, and forgets what was typed. */
  readonly onClose: () => void
}

/** A dialog with a form in it. Esc, a click outside, or leaving the page loses nothing without a question. */
export function FormModal({ unsaved, onClose, opened, ...modal }: FormModalProps) {
  useUnsaved(opened && unsaved)
  return <Modal {...modal} opened={opened} onClose={() => (!unsaved || mayLeave()) && onClose()} />
}
