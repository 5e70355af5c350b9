/// The limits of event streams and pending requests, for each event loop.
package struct StreamLimits: Sendable {
  /// The time between two heartbeats of a stream.
  package var heartbeatMilliseconds: Int64 = 15_000
  /// The time after which a browser reconnects: 2 s ± 20 %, at random, so that not all browsers reconnect at once.
  package var retryMilliseconds = 1_600...2_400
  /// The time after which a browser reconnects when the server is overloaded, or is already stopping.
  package var laterRetryMilliseconds = 5_000...15_000
  /// The time after which a browser reconnects when the server stops. Most restarts take less than a second.
  package var stopRetryMilliseconds = 1_000...3_000
  /// The maximum number of paths of `GET /events`.
  package var maximumPaths = 64
  /// The maximum number of places of `POST /events`.
  package var maximumPostedPlaces = 1_000
  /// The maximum number of places of all open streams, of all event loops. A place whose path has 128 bytes or more
  /// counts as several.
  package var maximumWatchedPlaces = 1_000_000
  /// The maximum length of an event of several places, in bytes. Values that would exceed it are left out.
  package var maximumSnapshotBytes = 8 * 1024 * 1024
  /// The number of bytes that streams may hold in long events until their clients have read them. Above it, a stream
  /// begins no long event until others have been read or closed.
  package var maximumUnreadBytes = 16 * 1024 * 1024
  /// The maximum number of open streams.
  package var maximumStreams = 100_000
  /// The time for which the base value for a patch is kept for a client that does not read.
  package var patchBaseMilliseconds: Int64 = 10_000
  /// The maximum number of clients that do not read for which a base value is kept.
  package var maximumPatchBases = 1_024

  /// The time for which a long response or event may take before the version that it shows counts as old, and the time
  /// for which a stream may take for 64 KiB of a long event while others wait.
  package var heldVersionMilliseconds: Int64 = 10_000
  /// The maximum number of old versions that are kept in memory for clients that read slowly. Above it, the oldest long
  /// responses and events end.
  package var maximumHeldVersions = 32

  /// The maximum number of open exchanges of each kind (``OpenExchange/Kind``): writes, long polls, requests for the
  /// history, for files and for endpoints. Further requests of that kind receive 503.
  package var maximumPendingResponses = 10_000

  /// The maximum number of bytes of writes that wait for the journal, of all event loops. Further writes receive 503.
  ///
  /// The new part of the state and its patches take a few times as much memory.
  package var pendingWriteBytes = 8 << 20
  /// The maximum number of bytes of long history pages that are being sent, of all event loops. Further requests
  /// receive 503.
  package var historyBytes = 16 << 20

  /// The maximum number of bytes that long files, which are read in slices of 64 KiB, hold while they are being sent,
  /// of all event loops. Each of them is also an open file. Further requests receive 503.
  package var fileBytes = 32 << 20

  /// Creates the default limits.
  package init() {}
}
