#pragma once

#include <string>
#include <vector>

#include "core/json.h"
#include "core/system/files.h"

namespace vitrain::launch {

// TCP connection between two supervisors. Each message is a line of JSON.
// Nothing blocks, except flush().
class NodeLine {
 public:
  // `fd`: a connected socket.
  explicit NodeLine(Fd fd);

  int fd() const { return fd_.get(); }
  bool open() const { return static_cast<bool>(fd_); }
  // monotonic_seconds() at which bytes last arrived.
  double heard() const { return heard_; }
  // Returns the reason why the connection is closed; "" while it is open.
  const std::string& problem() const { return problem_; }
  // Numeric addresses of this end and of the peer; "unknown address" once the
  // connection is closed.
  std::string own_address() const;
  std::string peer_address() const;

  // Queues the message; send(), receive() and flush() pass on what the socket
  // takes.
  void send(const Json& message);
  // Returns the messages that have arrived. Closes the connection if the peer
  // is gone, or if more than 1 MiB have arrived that were not returned yet.
  std::vector<std::string> receive();
  // Waits until sent data has left this process, at most `seconds`.
  void flush(double seconds);

 private:
  void write();
  void close(const std::string& problem);

  Fd fd_;
  std::string in_;
  std::string out_;
  std::string problem_;
  double heard_ = 0;
};

} // namespace vitrain::launch
