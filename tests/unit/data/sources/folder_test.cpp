#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "core/system/files.h"
#include "data/kinds/datasets.h"
#include "support/messages.h"
#include "unit/data/support.h"

namespace vitrain::data {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Index list_folder(const fs::path& path) {
  SourceOptions options;
  options.kind = SourceKind::kFolder;
  options.path = path.native();
  return list(options);
}

std::string folder_error(const fs::path& path) {
  return data_error([&] { list_folder(path); });
}

std::vector<std::string> names_of(const Index& index) {
  std::vector<std::string> names;
  for (std::int64_t i = 0; i < index.names_count(); ++i) {
    names.emplace_back(index.name(i));
    // The class is the folder.
    EXPECT_THAT(
        names.back(),
        testing::StartsWith(
            index.classes()[static_cast<std::size_t>(index.label(i))] + "/"));
  }
  return names;
}

TEST(Folder, TakesEveryNameOfAnImage) {
  const TempFolder folder;
  for (const char* name :
       {"a/1.jfif",
        "a/2.avif",
        "a/3.TIF",
        "a/4.tiff",
        "a/5.bmp",
        "a/6.tif.txt"}) {
    folder.write(name);
  }
  EXPECT_THAT(
      names_of(list_folder(folder.path())),
      ElementsAre("a/1.jfif", "a/2.avif", "a/3.TIF", "a/4.tiff", "a/5.bmp"));
}

TEST(Folder, ListsClassesAndFilesInByteOrder) {
  const TempFolder folder;
  // Locale order would put "a" before "B" and the umlaut near "a".
  for (const char* name :
       {"zebra/2.jpg",
        "zebra/10.JPG",
        "Bee/deep/er/x.png",
        "Bee/a.jpeg",
        "ant/1.Png",
        "ant/2.WebP",
        "\xc3\xa4pfel/1.jpg"}) {
    folder.write(name);
  }
  const Index index = list_folder(folder.path());
  EXPECT_THAT(
      index.classes(), ElementsAre("Bee", "ant", "zebra", "\xc3\xa4pfel"));
  EXPECT_THAT(
      names_of(index),
      ElementsAre(
          "Bee/a.jpeg",
          "Bee/deep/er/x.png",
          "ant/1.Png",
          "ant/2.WebP",
          "zebra/10.JPG",
          "zebra/2.jpg",
          "\xc3\xa4pfel/1.jpg"));
  EXPECT_EQ(index.size(), 7);
  EXPECT_THAT(index.notes(), IsEmpty());
}

TEST(Folder, SkipsAndCountsWhatIsNotAnImage) {
  const TempFolder folder;
  for (const char* name :
       {".ipynb_checkpoints/1.jpg",
        ".DS_Store",
        "__MACOSX/a/1.jpg",
        "README.txt",
        "a/1.jpg",
        "a/._1.jpg",
        "a/.hidden/2.jpg",
        "a/notes.txt",
        "a/labels.csv",
        "a/more.TXT",
        "a/noextension",
        "b/1.png"}) {
    folder.write(name);
  }
  const Index index = list_folder(folder.path());
  EXPECT_THAT(names_of(index), ElementsAre("a/1.jpg", "b/1.png"));
  EXPECT_THAT(
      index.notes(),
      ElementsAre(
          "skipped hidden entries: 5",
          "skipped files outside the class folders: 1",
          "skipped files without an image's extension [.csv (1), .txt (2), "
          "no extension (1)]: 4"));
}

TEST(Folder, NeverOpensSpecialFiles) {
  const TempFolder folder;
  folder.write("a/1.jpg");
  folder.write("b/1.jpg");
  ASSERT_EQ(::mkfifo((folder.path() / "a/pipe.jpg").c_str(), 0600), 0);
  ASSERT_EQ(::mkfifo((folder.path() / "pipe").c_str(), 0600), 0);
  const int fd = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string socket = folder.path() / "a/socket.png";
  ASSERT_LT(socket.size(), sizeof(address.sun_path));
  std::memcpy(address.sun_path, socket.c_str(), socket.size() + 1);
  ASSERT_EQ(
      ::bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
  ::close(fd);
  const Index index = list_folder(folder.path());
  EXPECT_EQ(index.size(), 2);
  EXPECT_THAT(
      index.notes(), ElementsAre("skipped FIFOs, devices and sockets: 3"));
}

TEST(Folder, FollowsLinksButNotInCircles) {
  const TempFolder folder;
  folder.write("data/a/1.jpg");
  folder.write("data/b/sub/1.jpg");
  folder.write("elsewhere/2.jpg");
  folder.write("third/3.jpg");
  const fs::path data = folder.path() / "data";
  fs::create_symlink(folder.path() / "elsewhere/2.jpg", data / "a/linked.jpg");
  fs::create_symlink("nowhere.jpg", data / "a/dangling.jpg");
  fs::create_symlink("self.jpg", data / "a/self.jpg");
  fs::create_symlink("..", data / "b/sub/up");
  fs::create_symlink(data, data / "b/root");
  fs::create_symlink(folder.path() / "third", data / "c");
  const Index index = list_folder(data);
  // Below the link to the root, class folders are reached as parts of b.
  const auto names = names_of(index);
  EXPECT_THAT(names, Contains("a/1.jpg"));
  EXPECT_THAT(names, Contains("a/linked.jpg"));
  EXPECT_THAT(names, Contains("b/sub/1.jpg"));
  EXPECT_THAT(names, Contains("c/3.jpg"));
  EXPECT_LE(names.size(), 8u);
  // The missing target and the link to itself, each also below the link to the
  // root.
  EXPECT_THAT(index.notes(), Contains(HasSubstr("lead nowhere: 4")));
  EXPECT_THAT(index.notes(), Contains(HasSubstr("listed already: 2")));
}

// Twenty folders, each with two links to the next: a million ways.
TEST(Folder, ListsLinkedFoldersOnceAClass) {
  const TempFolder folder;
  folder.write("b/1.jpg");
  folder.write("a/1.jpg");
  fs::path level = folder.path() / "a";
  for (int i = 0; i < 20; ++i) {
    const fs::path next = folder.path() / ".hidden" / std::to_string(i);
    fs::create_directories(next);
    fs::create_symlink(next, level / "left");
    fs::create_symlink(next, level / "right");
    level = next;
  }
  std::ofstream(level / "last.jpg") << "";
  const Index index = list_folder(folder.path());
  EXPECT_EQ(index.size(), 3);
  EXPECT_THAT(index.notes(), Contains(HasSubstr("listed already: 20")));
}

TEST(Folder, ExplainsWhatIsWrongWithTheFolder) {
  const TempFolder folder;
  expect_message(folder_error(folder.path() / "missing"), {});
  expect_message(folder_error(""), {});
  expect_message(folder_error(folder.path()), {});
  folder.write("1.jpg");
  folder.write("2.png");
  expect_message(folder_error(folder.path()), {"2"});
  expect_message(folder_error(folder.path() / "1.jpg"), {});
  folder.write("full/1.jpg");
  folder.write("empty/readme.txt");
  expect_message(folder_error(folder.path()), {});
}

TEST(Folder, RefusesTheFolderAboveTrainAndVal) {
  const TempFolder folder;
  folder.write("train/a/1.jpg");
  folder.write("val/a/1.jpg");
  expect_message(folder_error(folder.path()), {});
  EXPECT_EQ(list_folder(folder.path() / "train").size(), 1);
}

TEST(Folder, OneClassIsListedButNotTrainable) {
  const TempFolder folder;
  folder.write("only/1.jpg");
  const Index one = list_folder(folder.path());
  expect_message(data_error([&] { check_for_training(one); }), {"'only'"});
  folder.write("two/1.jpg");
  EXPECT_EQ(
      data_error([&] { check_for_training(list_folder(folder.path())); }), "");
}

TEST(Folder, ComparesTheClassesOfTrainingAndEvaluation) {
  const TempFolder folder;
  for (const char* name :
       {"train/a/1.jpg",
        "train/b/1.jpg",
        "train/c/1.jpg",
        "val/a/1.jpg",
        "val/c/1.jpg"}) {
    folder.write(name);
  }
  const Index train = list_folder(folder.path() / "train");
  const Index val = list_folder(folder.path() / "val");
  EXPECT_EQ(data_error([&] { check_same_classes(train, train); }), "");
  expect_message(
      data_error([&] { check_same_classes(train, val); }),
      {"1", "'b'", "3", "'c'", "2"});
  expect_message(
      data_error([&] { check_same_classes(val, train); }), {"1", "'c'"});
}

TEST(Folder, PrintsHostileNamesOnOneLine) {
  const TempFolder folder;
  folder.write("a\nb/x\x1b[31m\xff.jpg", "not an image");
  folder.write("c/1.jpg");
  const auto source = open(std::make_shared<Index>(list_folder(folder.path())));
  expect_message(source->describe(0), {"xff.jpg"});
  EXPECT_THAT(
      data_error([&] { source->load(0); }),
      testing::AllOf(
          HasSubstr("\\x1b[31m\\xff.jpg: the content is text or HTML"),
          testing::Not(HasSubstr("\n"))));
}

TEST(Folder, LoadsByContentAndNamesTheFileThatFails) {
  const TempFolder folder;
  fs::create_directories(folder.path() / "a");
  fs::copy(image_file("png_named.jpg"), folder.path() / "a/1.jpg");
  fs::copy(image_file("rgb_420.jpg"), folder.path() / "a/2.jpg");
  folder.write("b/broken.jpg", "\xFF\xD8\xFF nothing");
  const auto source = open(std::make_shared<Index>(list_folder(folder.path())));
  EXPECT_EQ(source->load(0).width, 7);
  EXPECT_EQ(source->load(1).width, 61);
  std::string bytes;
  EXPECT_TRUE(source->read(1, bytes));
  EXPECT_EQ(bytes.size(), fs::file_size(folder.path() / "a/2.jpg"));
  expect_message(data_error([&] { source->load(2); }), {"b/broken.jpg"});
  fs::remove(folder.path() / "a/2.jpg");
  expect_message(data_error([&] { source->load(1); }), {"a/2.jpg"});
  // A FIFO that takes a file's place later does not hang the loader either.
  ASSERT_EQ(::mkfifo((folder.path() / "a/2.jpg").c_str(), 0600), 0);
  expect_message(data_error([&] { source->load(1); }), {});
}

// Blanks, quotes, a newline, an escape code, bytes that are no UTF-8, an emoji,
// what looks like an option, and the longest name there is (torture row 44).
TEST(Folder, TakesEveryName) {
  const TempFolder folder;
  const std::vector<std::string> names = {
      "two words",
      "it's \"quoted\"",
      "new\nline",
      "\x1b[31mred",
      "\xff\xfe",
      "\xf0\x9f\x98\x80",
      "-rf",
      "%s%n",
      std::string(251, 'x')};
  for (const std::string& name : names) {
    fs::create_directories(folder.path() / name);
    fs::copy(image_file("rgb_420.jpg"), folder.path() / name / (name + ".jpg"));
  }
  const auto source = open(std::make_shared<Index>(list_folder(folder.path())));
  ASSERT_EQ(source->size(), std::ssize(names));
  EXPECT_THAT(source->classes(), testing::UnorderedElementsAreArray(names));
  for (std::int64_t i = 0; i < source->size(); ++i) {
    EXPECT_EQ(source->load(i).width, 61);
    const std::string shown = source->describe(i);
    EXPECT_EQ(shown.find_first_of("\n\x1b\xff"), shown.npos) << shown;
  }
}

TEST(Folder, OneSampleAndNone) {
  const TempFolder folder;
  folder.write("one/a/1.jpg");
  EXPECT_EQ(list_folder(folder.path() / "one").size(), 1);
  fs::create_directories(folder.path() / "none/a");
  expect_message(folder_error(folder.path() / "none"), {});
  fs::create_directories(folder.path() / "hidden/.a");
  expect_message(folder_error(folder.path() / "hidden"), {});
}

TEST(Folder, ClassMapChoosesAndNumbersClasses) {
  const TempFolder folder;
  for (const char* name :
       {"a/1.jpg", "b/1.jpg", "b/2.jpg", "c/1.jpg", "nothing/readme.txt"}) {
    folder.write(name);
  }
  SourceOptions options;
  options.path = folder.path().native();
  options.class_map = "map.txt"; // found in the dataset's folder
  folder.write("map.txt", "c\nmissing\r\nb\n");
  const Index index = list(options);
  EXPECT_THAT(index.classes(), ElementsAre("c", "missing", "b"));
  EXPECT_THAT(names_of(index), ElementsAre("c/1.jpg", "b/1.jpg", "b/2.jpg"));
  EXPECT_THAT(
      index.notes(),
      testing::IsSupersetOf(
          {"skipped images of classes that the class map does not name: 1",
           "classes without an image: 1"}));
  folder.write("map.txt", "x\n");
  expect_message(data_error([&] { list(options); }), {});
  folder.write("map.txt", "a\nb\na\n");
  expect_message(data_error([&] { list(options); }), {"map.txt:3", "'a'"});
  options.class_map = "none.txt";
  expect_message(data_error([&] { list(options); }), {"none.txt"});
}

// Runs in a process of its own, as a user who is not root: root may read all.
int check_unreadable(const fs::path& root) {
  if (::geteuid() == 0 && ::setuid(65534) != 0) {
    return 1;
  }
  const std::string file = data_error([&] {
    open(std::make_shared<Index>(list_folder(root / "files")))->load(0);
  });
  const std::string folder = folder_error(root / "folders");
  std::fprintf(stderr, "%s\n%s\n", file.c_str(), folder.c_str());
  return file.ends_with("a/1.jpg: Permission denied") &&
          folder.find("folders/b: ") != std::string::npos &&
          folder.ends_with("Permission denied")
      ? 0
      : 2;
}

TEST(Folder, NamesUnreadableEntries) {
  const TempFolder folder;
  fs::permissions(folder.path(), fs::perms::all);
  fs::permissions(folder.write("files/a/1.jpg"), fs::perms::none);
  folder.write("folders/a/1.jpg");
  folder.write("folders/b/1.jpg");
  fs::permissions(folder.path() / "folders/b", fs::perms::none);
  EXPECT_EXIT(
      std::_Exit(check_unreadable(folder.path())),
      testing::ExitedWithCode(0),
      "");
  fs::permissions(folder.path() / "folders/b", fs::perms::owner_all);
}

// A folder that may be read but not entered shows its names and kinds, and
// nothing else: a listing that asks for each file would fail.
int check_without_stat(const fs::path& root) {
  if (::geteuid() == 0 && ::setuid(65534) != 0) {
    return 1;
  }
  return list_folder(root).size() == 3 ? 0 : 2;
}

TEST(Folder, AsksForNoFileThatTheFolderKnows) {
  const TempFolder folder;
  fs::permissions(folder.path(), fs::perms::all);
  for (const char* name : {"a/1.jpg", "a/2.jpg", "a/3.jpg"}) {
    folder.write(name);
  }
  fs::permissions(folder.path() / "a", fs::perms(0444));
  EXPECT_EXIT(
      std::_Exit(check_without_stat(folder.path())),
      testing::ExitedWithCode(0),
      "");
  fs::permissions(folder.path() / "a", fs::perms::owner_all);
}

TEST(Folder, NamesTheClassMapWhereClassesDiffer) {
  const TempFolder folder;
  for (const char* name : {"train/a/1.jpg", "train/b/1.jpg", "val/a/1.jpg"}) {
    folder.write(name);
  }
  expect_message(
      data_error([&] {
        check_same_classes(
            list_folder(folder.path() / "train"),
            list_folder(folder.path() / "val"));
      }),
      {"data.train.class_map", "data.eval.class_map"});
}

TEST(Folder, NamesThePartOfAPathThatIsMissing) {
  const TempFolder folder;
  folder.write("flowers/train/a/1.jpg");
  const std::string root = folder.path().native();
  const auto missing = [](const std::string& path) {
    return data_error([&] { list(SourceOptions{.path = path}); });
  };
  EXPECT_THAT(
      missing(root + "/./x/../flowres//train/"),
      testing::AllOf(
          testing::StartsWith(root + "/flowres/train: "),
          HasSubstr(root + " has no 'flowres'. Did you mean 'flowers'?")));
  EXPECT_THAT(missing(root + "/q/w/e/train"), HasSubstr(root + " has no 'q'"));
  expect_message(missing(root + "/flowers/trian"), {"'train'"});
}

TEST(Folder, SaysWhatElseMayBeTakenForDataThatAreMissing) {
  const TempFolder folder;
  const auto missing = [&](const char* path) {
    return data_error([&] { list(SourceOptions{.path = folder / path}); });
  };
  folder.write("whole/train/a/1.jpg");
  expect_message(missing("whole/val"), {"data.split=0.1"});
  EXPECT_THAT(missing("none/val"), testing::Not(HasSubstr("data.split")));
  folder.write("flat/1.jpg");
  folder.write("flat/2.png");
  expect_message(missing("flat/train"), {"2"});
  folder.write("lists/train_list.txt");
  expect_message(missing("lists/train"), {"/lists/train_list.txt", "-dataset"});
  const std::string tar = folder.write("a.tar").native();
  EXPECT_THAT(missing("a.tar/train"), HasSubstr(tar + " is a file"));
  expect_message(missing("a.tar/train"), {"data.train.kind=tar"});
  expect_message(missing("whole/train_list.txt"), {"-dataset"});
  folder.write("classes/a/1.jpg");
  folder.write("classes/b/1.jpg");
  folder.write("classes/c/1.txt");
  expect_message(missing("classes/train"), {"data.split=0.1"});
}

TEST(Folder, SaysWhereAMissingOneWasLookedFor) {
  const TempFolder folder;
  const auto missing = [](const std::filesystem::path& path) {
    return data_error([&] { list(SourceOptions{.path = path}); });
  };
  const std::string val = (folder.path() / "val").native();
  EXPECT_THAT(
      missing(val),
      testing::HasSubstr(
          "; " + (folder.path() / "test").native() + " is not there, either"));
  std::filesystem::create_directory(folder.path() / "test");
  expect_message(missing(val), {});
  EXPECT_THAT(missing(val), testing::Not(testing::HasSubstr("relative")));
  EXPECT_THAT(
      missing("no/such/train"),
      testing::EndsWith(
          "\nPaths of data are relative to the working directory: this one "
          "is " +
          (std::filesystem::current_path() / "no/such/train").native()));
}

} // namespace
} // namespace vitrain::data
