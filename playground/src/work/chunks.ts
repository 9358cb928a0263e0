/** Into how many chunks a reply is cut. */
export function chunkCount(length: number, chunkSize: number): number {
  return Math.ceil(length / chunkSize)
}
