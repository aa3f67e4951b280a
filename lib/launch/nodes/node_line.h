#pragma once

#include <string>
#include <vector>

#include "core/files/files.h"
#include "core/text/json.h"

namespace vitrain::launch {

// Messages between two supervisors over one TCP connection, a line of JSON
// each. Nothing blocks, except flush().
class NodeLine {
 public:
  // A connected socket.
  explicit NodeLine(Fd fd);

  int fd() const { return fd_.get(); }
  bool open() const { return static_cast<bool>(fd_); }
  double heard() const { return heard_; } // monotonic, when bytes came last
  // Why it is not open.
  const std::string& problem() const { return problem_; }
  // Numeric addresses of this end and of the other.
  std::string own_address() const;
  std::string peer_address() const;

  void send(const Json& message);
  // The messages that have arrived. Closes the line when its other end is gone.
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
